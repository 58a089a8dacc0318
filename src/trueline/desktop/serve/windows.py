"""Windows by name, as `wmctrl` finds them: any that the window manager knows, also those that are minimised."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from trueline.desktop.serve.body import read_form
from trueline.desktop.serve.replies import Message, ReceivedRequest, Refused, Reply, as_json, as_text, read
from trueline.desktop.serve.served_desktop import ServedDesktop

_NUMBER = re.compile(r"0x[0-9a-f]{1,8}\b")
_STRING = r'"((?:[^"\\]|\\.)*)"'
_TITLE = re.compile(rf"^(?:_NET_)?WM_NAME = {_STRING}", re.MULTILINE)
_CLASS = re.compile(rf"^WM_CLASS = {_STRING}, {_STRING}", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\\"])")
_MOST_WINDOWS = 200
_TASKBAR = 2
"""The source that our requests to the window manager name: a taskbar."""
_ASK_MANAGER = """
import ctypes, sys

class Event(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("kind", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]

x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
x.XInternAtom.restype = x.XDefaultRootWindow.restype = ctypes.c_ulong
display = ctypes.c_void_p(x.XOpenDisplay(None))
if not display:
    sys.exit("there is no display")
kind, window = x.XInternAtom(display, sys.argv[1].encode(), 0), int(sys.argv[2])
event = Event(type=33, window=window, kind=kind, format=32, data=(ctypes.c_long * 5)(*map(int, sys.argv[3:])))
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
x.XSendEvent(display, root, 0, ctypes.c_long(3 << 19), ctypes.byref(event))
x.XSync(display, 0)
"""
"""Asks the window manager for something, as a taskbar does; runs inside, with what every desktop has."""
_OURS = {"google chrome": "chromium"}
"""Names of applications whose program has another name here."""


@dataclass(frozen=True)
class Managed:
    """A window that the window manager knows."""

    id: int
    title: str
    instance: str
    name: str
    """The class part of WM_CLASS."""


class WindowRequest(Message):
    """The request of `/setup/activate_window` and `/setup/close_window`."""

    window_name: str
    strict: bool = False
    by_class: bool = False


def parse_window(id: int, text: str) -> Managed:
    """Read what `xprop -notype` says of a window."""
    titles, names = _TITLE.search(text), _CLASS.search(text)
    instance, name = names.groups() if names else ("", "")
    return Managed(id, *(_ESCAPED.sub(r"\1", part) for part in (titles[1] if titles else "", instance, name)))


def match(windows: Sequence[Managed], name: str, *, strict: bool, by_class: bool) -> Managed | None:
    """The first window of that title, or of that `instance.Class`: the whole of it, or a part of it in any case."""
    for window in windows:
        text = f"{window.instance}.{window.name}" if by_class else window.title
        if text == name if strict else name.lower() in text.lower():
            return window
    ours = _OURS.get(name.lower())
    return match(windows, ours, strict=False, by_class=True) if ours and not strict else None


async def list_managed(served: ServedDesktop) -> tuple[Managed, ...]:
    """All windows, in the order in which they came."""
    listed = (await served.run("xprop", "-root", "-notype", "_NET_CLIENT_LIST")).text
    numbers = [int(number, 16) for number in _NUMBER.findall(listed)[:_MOST_WINDOWS]]

    async def read_window(number: int) -> Managed | None:
        said = await served.run("xprop", "-id", str(number), "-notype", "_NET_WM_NAME", "WM_NAME", "WM_CLASS")
        return parse_window(number, said.text) if said.returncode == 0 else None

    found = await asyncio.gather(*(read_window(number) for number in numbers))
    return tuple(window for window in found if window is not None)


async def activate_window(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/activate_window; as there, it is not an error when no window has the name."""
    window = await _asked_for(served, call)
    if window is None:
        return as_text("no window has that name")
    await raise_window(served, window.id)
    return as_text("Window activated successfully")


async def close_window(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/close_window: the window is asked to close, as by its close button."""
    window = await _asked_for(served, call)
    if window is None:
        return as_text("no window has that name")
    await _ask_manager(served, "_NET_CLOSE_WINDOW", window.id, 0, _TASKBAR)
    return as_text("Window closed successfully")


async def _asked_for(served: ServedDesktop, call: ReceivedRequest) -> Managed | None:
    asked = read(call, WindowRequest)
    if not asked.window_name:
        raise Refused(400, "window_name: must not be empty")
    return match(await list_managed(served), asked.window_name, strict=asked.strict, by_class=asked.by_class)


async def raise_window(served: ServedDesktop, id: int) -> None:
    """Bring a window to the front and give it the keyboard."""
    await _ask_manager(served, "_NET_ACTIVE_WINDOW", id, _TASKBAR, 0)


async def _ask_manager(served: ServedDesktop, what: str, id: int, *values: int) -> None:
    words = [str(number) for number in (id, *values)]
    done = await served.run("/usr/bin/python3", "-I", "-S", "-c", _ASK_MANAGER, what, *words)
    if done.returncode:
        raise Refused(500, f"the window manager cannot be reached: {done.stderr.decode('utf-8', 'replace')[-200:]}")


async def window_size(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /window_size."""
    name = read_form(call).get("app_class_name", b"").decode("utf-8", "replace")
    if not name:
        raise Refused(400, "app_class_name: missing")
    called = {
        window.id
        for window in await list_managed(served)
        if name.lower() in (window.instance.lower(), window.name.lower())
    }
    for window in await served.desktop.windows():
        if window.id in called:
            return as_json({"width": window.width, "height": window.height})
    raise Refused(500, f"no window on the screen has the class {name}")
