"""X11's requests and answers as bytes (little-endian). Numbers and layouts are the protocol's."""

from __future__ import annotations

import struct
from typing import NamedTuple

ERROR, REPLY, MAPPING_NOTIFY = 0, 1, 34
CLIENT_MESSAGE = 33
SELECTION_REQUEST, SELECTION_NOTIFY = 30, 31
ATOM = 4
"""The number of the name ATOM."""
SUBSTRUCTURE_NOTIFY = 1 << 19
_EVENT_MASK = 1 << 11
KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION = 2, 3, 4, 5, 6

SETUP = struct.pack("<BxHHHHxx", 0x6C, 11, 0, 0, 0)
SYNC = struct.pack("<BxH", 43, 1)
"""GetInputFocus: the cheapest request with an answer."""
GRAB_SERVER, UNGRAB_SERVER = struct.pack("<BxH", 36, 1), struct.pack("<BxH", 37, 1)
"""Between the two, the server does what this client asks and nothing else."""

_SETUP_FIXED = struct.Struct("<IIIIHHBBBBBBBBxxxx")
_SCREEN = struct.Struct("<IIIIIHH")
_FAKE = struct.Struct("<BBHBBxxIIxxxxxxxxhhxxxxxxxx")


class Screen(NamedTuple):
    """What the server says of itself."""

    root: int
    width: int
    height: int
    first_key: int
    last_key: int
    first_id: int = 0
    """The first of the numbers that this client may give to what it makes."""
    id_mask: int = 0
    """The bits in which the numbers of one client differ; the others tell clients apart."""


def read_setup(body: bytes) -> Screen:
    """Read the answer to SETUP, without its first eight bytes."""
    fixed = _SETUP_FIXED.unpack_from(body)
    vendor, formats, first_key, last_key = fixed[4], fixed[7], fixed[12], fixed[13]
    screen = _SCREEN.unpack_from(body, _SETUP_FIXED.size + _padded(vendor) + 8 * formats)
    return Screen(screen[0], screen[5], screen[6], first_key, last_key, fixed[1], fixed[2])


def query_extension(name: str) -> bytes:
    """Ask for the number of an extension."""
    return _request(98, 0, struct.pack("<Hxx", len(name)) + name.encode("ascii"))


def read_extension(reply: bytes) -> int | None:
    """The extension's number; None when the server has none of that name."""
    return reply[9] if reply[8] else None


def fake_input(extension: int, kind: int, detail: int, root: int = 0, x: int = 0, y: int = 0) -> bytes:
    """Let XTEST do a key, a button or a motion."""
    return _FAKE.pack(extension, 2, 9, kind, detail, 0, root, x, y)


def read_focus(reply: bytes) -> int:
    """The window that gets the keys: the answer to SYNC; 0 for none, 1 for the one under the pointer."""
    (window,) = struct.unpack_from("<I", reply, 8)
    return window


def query_tree(window: int) -> bytes:
    """Ask for the parent of a window."""
    return struct.pack("<BxHI", 15, 2, window)


def read_parent(reply: bytes) -> int:
    """The parent in the answer to `query_tree`; 0 for the root."""
    (parent,) = struct.unpack_from("<I", reply, 12)
    return parent


def read_children(reply: bytes) -> tuple[int, ...]:
    """The windows directly below one in the answer to `query_tree`, the lowest first."""
    (count,) = struct.unpack_from("<H", reply, 16)
    return struct.unpack_from(f"<{min(count, (len(reply) - 32) // 4)}I", reply, 32)


def query_clients(extension: int) -> bytes:
    """Ask X-Resource for the clients of the server."""
    return struct.pack("<BBH", extension, 1, 1)


def read_clients(reply: bytes) -> tuple[int, ...]:
    """The first of the numbers of each client, in the answer to `query_clients`; the server's own are left out."""
    (count,) = struct.unpack_from("<I", reply, 8)
    numbers = struct.unpack_from(f"<{2 * min(count, (len(reply) - 32) // 8)}I", reply, 32)
    return tuple(number for number in numbers[::2] if number)


def get_window_attributes(window: int) -> bytes:
    """Ask whether a window is shown, and of which kind it is."""
    return struct.pack("<BxHI", 3, 2, window)


class WindowAttributes(NamedTuple):
    """The attributes of a window that decide what is seen of it."""

    viewable: bool
    """It and all windows around it are mapped."""
    draws: bool
    """It can show something: it is not made for input alone."""
    override: bool
    """The window manager leaves it alone: menus, tooltips, drag icons."""


def read_window_attributes(reply: bytes) -> WindowAttributes:
    """The answer to `get_window_attributes`."""
    (kind,) = struct.unpack_from("<H", reply, 12)
    return WindowAttributes(reply[26] == 2, kind == 1, bool(reply[27]))


def get_geometry(window: int) -> bytes:
    """Ask for the box of a window or pixmap."""
    return struct.pack("<BxHI", 14, 2, window)


def read_geometry(reply: bytes) -> tuple[int, int, int, int]:
    """Left, top, width and height in the answer to `get_geometry`, the border included; relative to its parent."""
    x, y, width, height, border = struct.unpack_from("<hhHHH", reply, 12)
    return x, y, width + 2 * border, height + 2 * border


def query_pointer(root: int) -> bytes:
    """Ask where the pointer is."""
    return struct.pack("<BxHI", 38, 2, root)


class Pointer(NamedTuple):
    """Where the pointer is, and which of the first five buttons are down."""

    x: int
    y: int
    state: int

    def is_down(self, button: int) -> bool:
        """Whether a button is down; X says so only of the first five."""
        return button <= 5 and bool(self.state >> (7 + button) & 1)


def read_pointer(reply: bytes) -> Pointer:
    """The answer to `query_pointer`."""
    x, y, state = struct.unpack_from("<hhxxxxH", reply, 16)
    return Pointer(x, y, state)


QUERY_KEYMAP = struct.pack("<BxH", 44, 1)
"""Ask which keys are down."""


def read_keymap(reply: bytes) -> frozenset[int]:
    """The codes of the keys that are down."""
    bits = int.from_bytes(reply[8:40], "little")
    return frozenset(code for code in range(256) if bits >> code & 1)


def get_keyboard(first: int, count: int) -> bytes:
    """Ask for the symbols on keys."""
    return struct.pack("<BxHBBxx", 101, 2, first, count)


def read_keyboard(reply: bytes, first: int) -> dict[int, tuple[int, ...]]:
    """The symbols on each key, by key code."""
    per = max(reply[1], 1)
    body = reply[32 : 32 + (len(reply) - 32) // (4 * per) * 4 * per]
    symbols = struct.unpack(f"<{len(body) // 4}I", body)
    return {first + i: symbols[i * per : (i + 1) * per] for i in range(len(symbols) // per)}


def change_key(code: int, symbols: tuple[int, ...]) -> bytes:
    """Put symbols on one key."""
    return struct.pack(f"<BBHBBxx{len(symbols)}I", 100, 1, 2 + len(symbols), code, len(symbols), *symbols)


def intern_atom(name: str) -> bytes:
    """Ask for the number of a name."""
    return _request(16, 0, struct.pack("<Hxx", len(name)) + name.encode("ascii"))


def read_atom(reply: bytes) -> int:
    """The number of a name."""
    (atom,) = struct.unpack_from("<I", reply, 8)
    return atom


def get_property(window: int, atom: int, longest: int = 4096) -> bytes:
    """Ask for a property of any type, at most `longest` times four bytes of it."""
    return struct.pack("<BBHIIIII", 20, 0, 6, window, atom, 0, 0, longest)


def read_numbers(reply: bytes) -> tuple[int, ...]:
    """A property as 32-bit numbers; empty when it is not there or of another kind."""
    if reply[1] != 32:
        return ()
    (count,) = struct.unpack_from("<I", reply, 16)
    return struct.unpack_from(f"<{min(count, (len(reply) - 32) // 4)}I", reply, 32)


def read_text(reply: bytes | None) -> str:
    """A property as text; empty when it is not there or of another kind."""
    if reply is None or reply[1] != 8:
        return ""
    (length,) = struct.unpack_from("<I", reply, 16)
    return reply[32 : 32 + length].decode("utf-8", "replace")


def select_events(window: int, mask: int) -> bytes:
    """Say which events of a window are wanted."""
    return struct.pack("<BxHIII", 2, 4, window, _EVENT_MASK, mask)


def send_ping(window: int, protocols: int, ping: int, token: int) -> bytes:
    """Send a window `_NET_WM_PING`, which it answers when it comes to it."""
    event = struct.pack("<BBHIIIIIII", CLIENT_MESSAGE, 32, 0, window, protocols, ping, token, window, 0, 0)
    return struct.pack("<BBHII", 25, 0, 11, window, 0) + event


def read_pong(event: bytes, ping: int) -> int | None:
    """The token of an answer to a ping; None when the event is something else."""
    if event[0] & 0x7F != CLIENT_MESSAGE or event[1] != 32:
        return None
    kind, token = struct.unpack_from("<II", event, 12)
    return token if kind == ping else None


def create_window(window: int, root: int) -> bytes:
    """Make a window that is never shown."""
    return struct.pack("<BBHIIhhHHHHII", 1, 0, 8, window, root, 0, 0, 1, 1, 0, 2, 0, 0)


def own_selection(window: int, selection: int) -> bytes:
    """Make a window the owner of a selection."""
    return struct.pack("<BxHIII", 22, 4, window, selection, 0)


def selection_owner(selection: int) -> bytes:
    """Ask which window owns a selection."""
    return struct.pack("<BxHI", 23, 2, selection)


def change_property(window: int, name: int, kind: int, width: int, data: bytes) -> bytes:
    """Set a property of a window; `width` is 8 or 32 bits."""
    body = struct.pack("<IIIBxxxI", window, name, kind, width, len(data) * 8 // width) + data
    return _request(18, 0, body)


class SelectionRequest(NamedTuple):
    """Somebody wants what is selected."""

    time: int
    requestor: int
    selection: int
    target: int
    name: int


def read_selection_request(event: bytes) -> SelectionRequest | None:
    """What an event asks for; None when it is another one."""
    if event[0] & 0x7F != SELECTION_REQUEST:
        return None
    time, _owner, *wanted = struct.unpack_from("<IIIIII", event, 4)
    return SelectionRequest(time, *wanted)


def send_selection(asked: SelectionRequest, name: int) -> bytes:
    """Answer a request: the selection stands in a property of that name, or nowhere if it is 0."""
    event = struct.pack(
        "<BxHIIIII8x", SELECTION_NOTIFY, 0, asked.time, asked.requestor, asked.selection, asked.target, name
    )
    return struct.pack("<BBHII", 25, 0, 11, asked.requestor, 0) + event


def _request(opcode: int, data: int, body: bytes) -> bytes:
    body += bytes(_padded(len(body)) - len(body))
    return struct.pack("<BBH", opcode, data, 1 + len(body) // 4) + body


def _padded(length: int) -> int:
    return (length + 3) & ~3
