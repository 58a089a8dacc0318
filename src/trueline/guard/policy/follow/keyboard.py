"""Keys and text, by what has the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trueline.guard.policy.deeds import Pressed, Unclear
from trueline.guard.policy.folding import fold, key, tricks
from trueline.guard.policy.follow import terminal
from trueline.guard.policy.follow.desk import MAX_LINE
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.screen.labels import act_of
from trueline.guard.policy.screen.target import ADDRESS_BAR, RUN_BOX, TERMINAL, Target

MODIFIERS = frozenset({
    "ctrl", "ctrlright", "shift", "shiftright", "alt", "altright", "winleft", "winright", "command", "option", "fn",
})  # fmt: skip
TERMINAL_NAMES = frozenset({
    "terminal", "terminal emulator", "gnome-terminal", "xfce4-terminal", "xterm", "konsole", "kitty", "uxterm",
    "console",
})  # fmt: skip
_CHARACTERS = {"space": " ", "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "decimal": "."}
_CURSOR = frozenset({"left", "right", "home", "end", "pageup", "pagedown", "up", "down"})
_MAX_PRESSES = 200
_PIECES = re.compile(r"(\r\n|\n|\r|\t)")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:\S.*|[^\s/?#]+\.[^\s/?#]+(?:[/?#].*)?|localhost\S*", re.IGNORECASE)
"""What a browser opens instead of searching for it."""
_LAUNCHER = Target("launcher", app="launcher")


def type_text(scene: Scene, text: str) -> None:
    """Type a text; its newlines are Enter, its tabs are Tab."""
    if scene.desk.held & (MODIFIERS - {"shift", "shiftright"}):
        scene.desk.whole = False
        scene.deeds.append(Unclear("types with a modifier key held down"))
        return
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
    """Press a key and keep it down; what is no modifier acts at once."""
    if name in MODIFIERS:
        scene.desk.held.add(name)
    else:
        chord(scene, (name,))


def chord(scene: Scene, keys: Sequence[str]) -> None:
    """Press keys together."""
    pressed = [_plain(name) for name in (*sorted(scene.desk.held), *keys)]
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
    if _in_terminal(scene):
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


def copy(scene: Scene) -> None:
    """Put the selection on the clipboard."""
    scene.desk.clipboard = scene.desk.selection


def _key(scene: Scene, modifiers: frozenset[str], name: str) -> None:
    desk = scene.desk
    if modifiers <= {"shift"} and (len(name) == 1 or name in _CHARACTERS):
        character = _CHARACTERS.get(name, name)
        if name == "space" and desk.focus is not None and desk.focus.is_button:
            scene.deeds.append(Pressed(desk.focus, act_of(desk.focus), "key"))
            return
        desk.add(character.upper() if modifiers else character)
        scene.touched = True
    elif (action := _action(scene, modifiers, name)) is not None:
        action(scene)
    elif modifiers == _CTRL and name in ("j", "m") and _in_terminal(scene):
        _enter(scene)
    elif modifiers and modifiers <= {"ctrl", "alt"} and _in_terminal(scene):
        terminal.edit(scene, name if modifiers == _CTRL else "")
    elif name in _CURSOR:
        _move(scene, modifiers, name)
    elif name in ("esc", "capslock", "printscreen", "numlock"):
        pass
    else:
        scene.deeds.append(Unclear(f"presses {'+'.join([*sorted(modifiers), name])}"))
        if modifiers & {"alt", "win"} or (name.startswith("f") and len(name) > 1):
            scene.focus(None)


def _action(scene: Scene, modifiers: frozenset[str], name: str) -> Callable[[Scene], None] | None:
    if (modifiers, name) in _EDITS_A_LINE and _in_terminal(scene):
        return None
    return _CHORDS.get((modifiers, name))


def _enter(scene: Scene) -> None:
    desk = scene.desk
    focus, line = desk.focus, desk.line
    if focus is None:
        scene.flush()
        if line.strip():
            terminal.unknown_enter(scene, line)
        scene.deeds.append(Unclear("presses Enter, and what has the keyboard is not known"))
        desk.leave(None)
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
        scene.deeds.append(Pressed(focus, act_of(focus), "key"))
        desk.leave(None)
    else:
        scene.flush()
        scene.deeds.append(Pressed(focus, "submit" if focus.is_editable else None, "key", certain=False))
        desk.leave(None)


def _visit(scene: Scene, line: str) -> None:
    text = fold(line).strip()
    if _ADDRESS.fullmatch(text):
        scene.open(text, "typed")


def _tab(scene: Scene) -> None:
    desk = scene.desk
    if _in_terminal(scene):
        if desk.line:
            desk.whole = False  # the shell completes the word to something
            scene.touched = True
    elif desk.focus is not None and desk.focus.is_document:
        desk.add("\t")
        scene.touched = True
    else:
        scene.focus(None)


def _backspace(scene: Scene) -> None:
    desk = scene.desk
    if desk.everything:
        desk.add("")
    else:
        desk.cut(desk.cursor - 1, desk.cursor)
    scene.touched = True


def _delete(scene: Scene) -> None:
    desk = scene.desk
    if desk.focus is not None and desk.focus.is_editable:
        if desk.everything:
            desk.add("")
        else:
            desk.cut(desk.cursor, desk.cursor + 1)
        scene.touched = True
        return
    scene.deeds.append(Pressed(desk.focus, "delete", "key", desk.everything, certain=desk.focus is not None))


def _delete_forever(scene: Scene) -> None:
    desk = scene.desk
    focus = desk.focus
    if focus is not None and not (focus.in_file_manager or focus.in_mail):
        copy(scene)  # elsewhere it cuts
        return
    scene.deeds.append(Pressed(focus, "delete_forever", "key", desk.everything, certain=focus is not None))


def _select_all_or_home(scene: Scene) -> None:
    desk = scene.desk
    if _in_terminal(scene):
        desk.move(0)
        return
    desk.everything = True
    editable = desk.focus is not None and desk.focus.is_editable
    desk.selection = (desk.focus.text or desk.line or None) if editable and desk.focus else None


def _copy_or_interrupt(scene: Scene) -> None:
    if _in_terminal(scene):
        scene.desk.start()
        scene.desk.inside = ""
        scene.touched = False
    else:
        copy(scene)


def _cut(scene: Scene) -> None:
    copy(scene)
    if scene.desk.everything:
        scene.desk.add("")
    else:
        scene.desk.whole = False  # which part is gone is not known
    scene.touched = True


def _send_or_enter(scene: Scene) -> None:
    where = scene.desk.focus or scene.view.active
    if where is not None and not where.in_mail and not where.in_browser:
        _enter(scene)
        return
    scene.flush()
    scene.deeds.append(Pressed(where, "send", "key", certain=where is not None and where.in_mail))
    if where is not None:
        scene.send_from(where)


def _move(scene: Scene, modifiers: frozenset[str], name: str) -> None:
    """Move the cursor, or the selection, or the choice in a list."""
    desk = scene.desk
    desk.everything = False
    if "shift" in modifiers:
        desk.selection = None
    if name in ("up", "down") and _in_terminal(scene) and not modifiers:
        terminal.recall(scene, 1 if name == "up" else -1)
    elif name in ("left", "right") and not modifiers:
        desk.move(desk.cursor + (1 if name == "right" else -1))
    elif name in ("home", "end") and not modifiers and "\n" not in desk.line:
        desk.move(len(desk.line) if name == "end" else 0)
    elif desk.line:
        desk.whole = False  # what follows goes in somewhere else


def _browser_field(scene: Scene) -> None:
    scene.focus(ADDRESS_BAR)


def _to(target: Target | None) -> Callable[[Scene], None]:
    return lambda scene: scene.focus(target)


def _in_terminal(scene: Scene) -> bool:
    return scene.desk.focus is not None and scene.desk.focus.is_terminal


def _plain(name: str) -> str:
    name = {"winleft": "win", "winright": "win", "command": "win", "return": "enter"}.get(name, name)
    return name.removesuffix("right") if name in ("ctrlright", "shiftright", "altright") else name


def _paste_clipboard(scene: Scene) -> None:
    paste(scene, scene.desk.clipboard)


_NONE, _CTRL, _SHIFT, _ALT = frozenset[str](), frozenset({"ctrl"}), frozenset({"shift"}), frozenset({"alt"})
_CHORDS: dict[tuple[frozenset[str], str], Callable[[Scene], None]] = {
    (_NONE, "enter"): _enter,
    (_SHIFT, "enter"): _enter,
    (_NONE, "tab"): _tab,
    (_NONE, "backspace"): _backspace,
    (_NONE, "delete"): _delete,
    (_SHIFT, "delete"): _delete_forever,
    (_SHIFT, "tab"): _to(None),
    (_SHIFT, "insert"): _paste_clipboard,
    (_CTRL, "insert"): copy,
    (_CTRL, "a"): _select_all_or_home,
    (_CTRL, "c"): _copy_or_interrupt,
    (_CTRL, "x"): _cut,
    (_CTRL, "v"): _paste_clipboard,
    (_CTRL | _SHIFT, "v"): _paste_clipboard,
    (_CTRL | _SHIFT, "c"): copy,
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
