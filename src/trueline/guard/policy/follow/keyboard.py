"""Keys and text, by what has the keyboard."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from trueline.guard.policy.deeds import Pressed, Unclear
from trueline.guard.policy.folding import fold, key, tricks
from trueline.guard.policy.follow import editing, terminal
from trueline.guard.policy.follow.desk import MAX_LINE
from trueline.guard.policy.follow.keys import MODIFIERS, SHIFTS, character, plain, shifted
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.screen.labels import act_of
from trueline.guard.policy.screen.target import ADDRESS_BAR, RUN_BOX, TERMINAL, Target

TERMINAL_NAMES = frozenset({
    "terminal", "terminal emulator", "gnome-terminal", "xfce4-terminal", "xterm", "konsole", "kitty", "uxterm",
    "console",
})  # fmt: skip
_CURSOR = frozenset({"left", "right", "home", "end", "pageup", "pagedown", "up", "down"})
_MAX_PRESSES = 200
_PIECES = re.compile(r"(\r\n|\n|\r|\t)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:\S.*|[^\s/?#]+\.[^\s/?#]+(?:[/?#].*)?|localhost\S*", re.IGNORECASE)
"""What a browser opens instead of searching for it."""
_LAUNCHER = Target("launcher", app="launcher")


def type_text(scene: Scene, text: str) -> None:
    """Type a text; its newlines are Enter, its tabs are Tab."""
    if scene.desk.held & (MODIFIERS - SHIFTS):
        scene.desk.whole = False
        scene.deeds.append(Unclear("types with a modifier key held down"))
        return
    if scene.desk.held & SHIFTS:
        text = shifted(text)
    if any(unicodedata.category(char) == "Cc" and char not in "\n\r\t" for char in text):
        scene.desk.clear = False  # a terminal takes them for keys
    long = len(text) > MAX_LINE * 10
    for piece in _PIECES.split(text[: MAX_LINE * 10]):
        if piece in ("\n", "\r", "\r\n"):
            _enter(scene)
        elif piece == "\t":
            _tab(scene)
        elif piece:
            scene.desk.add(piece)
            scene.touched = True
    if long:
        scene.desk.whole = False
        scene.deeds.append(Unclear("types a very long text, which was not read to its end"))
    if found := tricks(text):
        scene.deeds.append(Unclear(f"the typed text holds {' and '.join(found)}"))


def press(scene: Scene, name: str, presses: int = 1) -> None:
    """Press one key, together with what is held down."""
    for _ in range(min(presses, _MAX_PRESSES)):
        chord(scene, (name,))
    if presses > _MAX_PRESSES:
        scene.desk.whole = False
        scene.deeds.append(Unclear(f"presses {name} more often than is looked at"))


def key_down(scene: Scene, name: str) -> None:
    """Press a key and keep it down; what is no modifier acts at once, and again and again."""
    if name not in MODIFIERS:
        chord(scene, (name,))
        scene.desk.clear = False
    scene.desk.held.add(name)


def chord(scene: Scene, keys: Sequence[str]) -> None:
    """Press keys together."""
    pressed = [plain(name) for name in (*sorted(scene.desk.held & MODIFIERS), *keys)]
    modifiers = frozenset(name for name in pressed if name in ("ctrl", "shift", "alt", "win"))
    others = [name for name in pressed if name not in modifiers]
    if not others:
        if "win" in modifiers and len(modifiers) == 1:
            scene.focus(_LAUNCHER)
        return
    for name in others:
        _key(scene, modifiers, name)


def rest(scene: Scene) -> None:
    """The proposal is over: tell what stands in the field."""
    scene.flush()
    if editing.in_terminal(scene):
        terminal.pending(scene)
        if scene.desk.shell.pending:
            scene.deeds.append(Unclear("a command line that is not finished stands in the terminal"))


def paste(scene: Scene, text: str | None) -> None:
    """Insert the clipboard or the selection."""
    if text is None:
        scene.desk.whole = False
        scene.touched = True
        where = scene.desk.focus or "what has the keyboard"
        scene.deeds.append(Unclear(f"pastes a text that cannot be seen into {where}"))
    else:
        type_text(scene, text)


def _key(scene: Scene, modifiers: frozenset[str], name: str) -> None:
    desk = scene.desk
    if modifiers <= _SHIFT and (typed := character(name, shift=bool(modifiers))) is not None:
        if typed == " " and _press_focused(scene):
            return
        desk.add(typed)
        scene.touched = True
    elif (action := _action(scene, modifiers, name)) is not None:
        action(scene)
    elif modifiers == _CTRL and name in ("j", "m") and editing.in_terminal(scene):
        _enter(scene)
    elif modifiers and modifiers <= {"ctrl", "alt"} and editing.in_terminal(scene):
        terminal.edit(scene, name if modifiers == _CTRL else "")
    elif name in _CURSOR:
        editing.move(scene, modifiers, name)
    elif name in ("esc", "capslock", "printscreen", "numlock"):
        desk.clear = False  # in a terminal Esc changes what the next key does
    else:
        scene.deeds.append(Unclear(f"presses {'+'.join([*sorted(modifiers), name])}"))
        if modifiers & {"alt", "win"} or (name.startswith("f") and len(name) > 1):
            scene.focus(None)


def _action(scene: Scene, modifiers: frozenset[str], name: str) -> Callable[[Scene], None] | None:
    if (modifiers, name) in _EDITS_A_LINE and editing.in_terminal(scene):
        return None
    return _CHORDS.get((modifiers, name))


def _enter(scene: Scene) -> None:
    desk = scene.desk
    focus, line = desk.focus, desk.line
    if focus is None:
        _press_focused(scene)
        scene.flush()
        terminal.enter_unseen(scene)
        scene.deeds.append(Unclear("presses Enter, and what has the keyboard is not known"))
    elif focus is _LAUNCHER:
        opens_terminal = any(word in key(line) for word in TERMINAL_NAMES)
        scene.deeds.append(Unclear(f"starts {line!r} from the menu"))
        scene.touched = False
        desk.leave(TERMINAL if opens_terminal else None)
    elif focus.is_terminal:
        terminal.enter(scene)
        if focus is RUN_BOX:
            desk.leave(TERMINAL if key(line) in TERMINAL_NAMES else None)
    elif focus.is_address_bar:
        scene.flush()
        if desk.whole:
            _visit(scene, line)
        else:
            scene.deeds.append(Unclear("opens an address of which a part cannot be seen"))
        desk.leave(None)
    elif focus.is_document:
        desk.add("\n")
        scene.touched = True
    elif focus.is_button:
        _press_focused(scene)
        desk.leave(None)
    else:
        scene.flush()
        scene.deeds.append(Pressed(focus, "submit" if focus.is_editable else None, "key", certain=False))
        desk.leave(None)


def _press_focused(scene: Scene) -> bool:
    """Enter or Space on a button; one that Tab may have gone to is only perhaps pressed."""
    focus, perhaps = scene.desk.focus, scene.desk.perhaps
    if focus is not None and focus.is_button:
        scene.deeds.append(Pressed(focus, act_of(focus), "key"))
        return True
    if focus is None:
        may = (Pressed(target, act_of(target), "key", certain=False) for target in perhaps)
        scene.deeds.extend(pressed for pressed in may if pressed.act is not None)
    return False


def _visit(scene: Scene, line: str) -> None:
    text = fold(line).strip()
    if _ADDRESS.fullmatch(text):
        scene.open(text, "typed")


def _tab(scene: Scene) -> None:
    desk = scene.desk
    if editing.in_terminal(scene):
        if desk.line:
            desk.whole = False  # the shell completes the word to something
            scene.touched = True
    elif desk.focus is not None and desk.focus.is_document:
        desk.add("\t")
        scene.touched = True
    else:
        before = (desk.focus,) if desk.focus is not None else desk.perhaps
        scene.focus(None)
        desk.perhaps = scene.view.behind(before[0] if len(before) == 1 else None)


def _send_or_enter(scene: Scene) -> None:
    where = scene.desk.focus or scene.view.active
    if where is not None and (where.is_address_bar or not (where.in_mail or where.in_browser)):
        _enter(scene)
        return
    scene.flush()
    scene.deeds.append(Pressed(where, "send", "key", certain=where is not None and where.in_mail))
    if where is not None:
        scene.send_from(where)


def _browser_field(scene: Scene) -> None:
    scene.focus(ADDRESS_BAR)


def _to(target: Target | None) -> Callable[[Scene], None]:
    return lambda scene: scene.focus(target)


def _paste_clipboard(scene: Scene) -> None:
    paste(scene, scene.desk.clipboard)


_NONE, _CTRL, _SHIFT, _ALT = frozenset[str](), frozenset({"ctrl"}), frozenset({"shift"}), frozenset({"alt"})
_CHORDS: dict[tuple[frozenset[str], str], Callable[[Scene], None]] = {
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
