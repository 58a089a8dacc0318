"""Keys and text, by the element that has the keyboard focus."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from trueline.guard.policy.folding import fold, key, name_disguises
from trueline.guard.policy.follow import editing, terminal
from trueline.guard.policy.follow.input_state import MAX_LINE
from trueline.guard.policy.follow.key_names import MODIFIERS, SHIFTS, character, plain, shifted
from trueline.guard.policy.follow.tracker import Tracker
from trueline.guard.policy.operations import Pressed, Unclear
from trueline.guard.policy.screen.labels import meaning_of_press
from trueline.guard.policy.screen.target import ADDRESS_BAR, RUN_BOX, TERMINAL, Target

TERMINAL_NAMES = frozenset({
    "terminal", "terminal emulator", "gnome-terminal", "xfce4-terminal", "xterm", "konsole", "kitty", "uxterm",
    "console",
})  # fmt: skip
_CURSOR = frozenset({"left", "right", "home", "end", "pageup", "pagedown", "up", "down"})
_MAX_PRESSES = 200
_PIECES = re.compile(r"(\r\n|\n|\r|\t)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:\S.*|[^\s/?#]+\.[^\s/?#]+(?:[/?#].*)?|localhost\S*", re.IGNORECASE)
"""Text that a browser opens as an address instead of searching for it."""
_LAUNCHER = Target("launcher", app="launcher")


def type_text(tracker: Tracker, text: str) -> None:
    """Type a text; its newlines are Enter, its tabs are Tab."""
    if tracker.state.held & (MODIFIERS - SHIFTS):
        tracker.state.whole = False
        tracker.operations.append(Unclear("types with a modifier key held down"))
        return
    if tracker.state.held & SHIFTS:
        text = shifted(text)
    if any(unicodedata.category(char) == "Cc" and char not in "\n\r\t" for char in text):
        tracker.state.clear = False  # a terminal takes them for keys
    long = len(text) > MAX_LINE * 10
    for piece in _PIECES.split(text[: MAX_LINE * 10]):
        if piece in ("\n", "\r", "\r\n"):
            _enter(tracker)
        elif piece == "\t":
            _tab(tracker)
        elif piece:
            tracker.state.add(piece)
            tracker.touched = True
    if long:
        tracker.state.whole = False
        tracker.operations.append(Unclear("types a very long text, which was not read to its end"))
    if found := name_disguises(text):
        tracker.operations.append(Unclear(f"the typed text holds {' and '.join(found)}"))


def press(tracker: Tracker, name: str, presses: int = 1) -> None:
    """Press one key, together with the keys held down."""
    for _ in range(min(presses, _MAX_PRESSES)):
        chord(tracker, (name,))
    if presses > _MAX_PRESSES:
        tracker.state.whole = False
        tracker.operations.append(Unclear(f"presses {name} more often than is looked at"))


def key_down(tracker: Tracker, name: str) -> None:
    """Hold a key down; a key that is not a modifier acts at once and repeats."""
    if name not in MODIFIERS:
        chord(tracker, (name,))
        tracker.state.clear = False
    tracker.state.held.add(name)


def chord(tracker: Tracker, keys: Sequence[str]) -> None:
    """Press keys together."""
    pressed = [plain(name) for name in (*sorted(tracker.state.held & MODIFIERS), *keys)]
    modifiers = frozenset(name for name in pressed if name in ("ctrl", "shift", "alt", "win"))
    others = [name for name in pressed if name not in modifiers]
    if not others:
        if "win" in modifiers and len(modifiers) == 1:
            tracker.focus(_LAUNCHER)
        return
    for name in others:
        _key(tracker, modifiers, name)


def rest(tracker: Tracker) -> None:
    """End of the proposal: record the text left in the field."""
    tracker.flush()
    if editing.in_terminal(tracker):
        terminal.pending(tracker)
        if tracker.state.shell.pending:
            tracker.operations.append(Unclear("a command line that is not finished stands in the terminal"))


def paste(tracker: Tracker, text: str | None) -> None:
    """Insert the clipboard or the selection."""
    if text is None:
        tracker.state.whole = False
        tracker.touched = True
        where = tracker.state.focus or "what has the keyboard"
        tracker.operations.append(Unclear(f"pastes a text that cannot be seen into {where}"))
        return
    state = tracker.state
    focus = state.focus
    if focus is None or (focus.is_terminal and focus is not RUN_BOX):
        # A terminal runs each line; one that asks for another Enter first (bracketed paste) runs them after it.
        _insert(tracker, text)
    elif focus.is_document:
        _insert_plain(tracker, text)
    else:
        _insert_plain(tracker, " ".join(text.splitlines()))  # a field of one line takes no Enter from a paste


def _insert(tracker: Tracker, text: str) -> None:
    """Put in a text whose newlines are Enter if a terminal has the keyboard; Tab is a blank, not a key."""
    type_text(tracker, text.replace("\t", " "))


def _insert_plain(tracker: Tracker, text: str) -> None:
    long = len(text) > MAX_LINE * 10
    tracker.state.add(text[: MAX_LINE * 10])
    tracker.touched = True
    if long:
        tracker.state.whole = False
        tracker.operations.append(Unclear("pastes a very long text, which was not read to its end"))
    if found := name_disguises(text):
        tracker.operations.append(Unclear(f"the pasted text holds {' and '.join(found)}"))


def _key(tracker: Tracker, modifiers: frozenset[str], name: str) -> None:
    state = tracker.state
    if modifiers <= _SHIFT and (typed := character(name, shift=bool(modifiers))) is not None:
        if typed == " " and _press_focused(tracker):
            return
        state.add(typed)
        tracker.touched = True
    elif (action := _action(tracker, modifiers, name)) is not None:
        action(tracker)
    elif modifiers == _CTRL and name in ("j", "m") and editing.in_terminal(tracker):
        _enter(tracker)
    elif modifiers and modifiers <= {"ctrl", "alt"} and editing.in_terminal(tracker):
        terminal.edit(tracker, name if modifiers == _CTRL else "")
    elif name in _CURSOR:
        editing.move(tracker, modifiers, name)
    elif name in ("esc", "capslock", "printscreen", "numlock"):
        state.clear = False  # in a terminal Esc changes what the next key does
    else:
        tracker.operations.append(Unclear(f"presses {'+'.join([*sorted(modifiers), name])}"))
        if modifiers & {"alt", "win"} or (name.startswith("f") and len(name) > 1):
            tracker.focus(None)


def _action(tracker: Tracker, modifiers: frozenset[str], name: str) -> Callable[[Tracker], None] | None:
    if (modifiers, name) in _EDITS_A_LINE and editing.in_terminal(tracker):
        return None
    return _CHORDS.get((modifiers, name))


def _enter(tracker: Tracker) -> None:
    state = tracker.state
    focus, line = state.focus, state.line
    if focus is None:
        _press_focused(tracker)
        tracker.flush()
        terminal.enter_unseen(tracker)
        tracker.operations.append(Unclear("presses Enter, and what has the keyboard is not known"))
    elif focus is _LAUNCHER:
        opens_terminal = any(word in key(line) for word in TERMINAL_NAMES)
        tracker.operations.append(Unclear(f"starts {line!r} from the menu"))
        tracker.touched = False
        state.leave(TERMINAL if opens_terminal else None)
    elif focus.is_terminal:
        terminal.enter(tracker)
        if focus is RUN_BOX:
            state.leave(TERMINAL if key(line) in TERMINAL_NAMES else None)
    elif focus.is_address_bar:
        tracker.flush()
        if state.whole:
            _visit(tracker, line)
        else:
            tracker.operations.append(Unclear("opens an address of which a part cannot be seen"))
        state.leave(None)
    elif focus.is_document:
        state.add("\n")
        tracker.touched = True
    elif focus.is_button:
        _press_focused(tracker)
        state.leave(None)
    else:
        tracker.flush()
        tracker.operations.append(Pressed(focus, "submit" if focus.is_editable else None, "key", certain=False))
        state.leave(None)


def _press_focused(tracker: Tracker) -> bool:
    """Enter or Space on a button; one that only may have the focus is pressed with doubt."""
    focus, perhaps = tracker.state.focus, tracker.state.perhaps
    if focus is not None and focus.is_button:
        tracker.operations.append(Pressed(focus, meaning_of_press(focus), "key"))
        return True
    if focus is None:
        may = (Pressed(target, meaning_of_press(target), "key", certain=False) for target in perhaps)
        tracker.operations.extend(pressed for pressed in may if pressed.act is not None)
    return False


def _visit(tracker: Tracker, line: str) -> None:
    text = fold(line).strip()
    if _ADDRESS.fullmatch(text):
        tracker.open(text, "typed")


def _tab(tracker: Tracker) -> None:
    state = tracker.state
    if editing.in_terminal(tracker):
        if state.line:
            state.whole = False  # the shell completes the word to something
            tracker.touched = True
    elif state.focus is not None and state.focus.is_document:
        state.add("\t")
        tracker.touched = True
    else:
        before = (state.focus,) if state.focus is not None else state.perhaps
        tracker.focus(None)
        state.perhaps = tracker.view.behind(before[0] if len(before) == 1 else None)


def _send_or_enter(tracker: Tracker) -> None:
    where = tracker.state.focus or tracker.view.active
    if where is not None and (where.is_address_bar or not (where.in_mail or where.in_browser)):
        _enter(tracker)
        return
    tracker.flush()
    tracker.operations.append(Pressed(where, "send", "key", certain=where is not None and where.in_mail))
    if where is not None:
        tracker.send_from(where)


def _browser_field(tracker: Tracker) -> None:
    tracker.focus(ADDRESS_BAR)


def _to(target: Target | None) -> Callable[[Tracker], None]:
    return lambda tracker: tracker.focus(target)


def _paste_clipboard(tracker: Tracker) -> None:
    paste(tracker, tracker.state.clipboard)


_NONE, _CTRL, _SHIFT, _ALT = frozenset[str](), frozenset({"ctrl"}), frozenset({"shift"}), frozenset({"alt"})
_CHORDS: dict[tuple[frozenset[str], str], Callable[[Tracker], None]] = {
    (_NONE, "enter"): _enter,
    (_SHIFT, "enter"): _enter,
    (_ALT, "enter"): _send_or_enter,
    (_NONE, "tab"): _tab,
    (_NONE, "backspace"): editing.backspace,
    (_NONE, "delete"): editing.delete,
    (_SHIFT, "delete"): editing.delete_forever,
    (_SHIFT, "tab"): _to(None),
    (_SHIFT, "insert"): _paste_clipboard,
    (_CTRL, "insert"): editing.copy,
    (_CTRL, "a"): editing.select_all_or_home,
    (_CTRL, "c"): editing.copy_or_interrupt,
    (_CTRL, "x"): editing.cut,
    (_CTRL, "v"): _paste_clipboard,
    (_CTRL | _SHIFT, "v"): _paste_clipboard,
    (_CTRL | _SHIFT, "c"): editing.copy,
    (_CTRL, "enter"): _send_or_enter,
    (_CTRL, "l"): _browser_field,
    (_CTRL, "t"): _browser_field,
    (_CTRL, "n"): _to(None),
    (_ALT, "d"): _browser_field,
    (_NONE, "f6"): _browser_field,
    (_CTRL | _ALT, "t"): _to(TERMINAL),
    (_CTRL, "`"): _to(TERMINAL),
    (_CTRL | _SHIFT, "`"): _to(TERMINAL),
    (_ALT, "f2"): _to(RUN_BOX),
    (_ALT, "tab"): _to(None),
    (_ALT, "f4"): _to(None),
    (_CTRL, "w"): _to(None),
}
_EDITS_A_LINE = frozenset({(_CTRL, "w"), (_CTRL, "n"), (_CTRL, "x"), (_CTRL, "l"), (_CTRL, "t"), (_ALT, "d")})
"""Shortcuts that mean something else in a terminal."""
