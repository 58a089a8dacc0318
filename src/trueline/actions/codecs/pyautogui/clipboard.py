"""Text that arrives by clipboard, and commands that act as a keyboard, in programs whose every value is certain."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from trueline.actions.codecs.pyautogui.values import Value
from trueline.actions.input_commands import clipboard_of_line, input_of_words
from trueline.actions.keys import untypable
from trueline.actions.types import Action, Hotkey, Key, Move, Type, Wait

PASTE_CHORDS = frozenset({frozenset({"ctrl", "v"}), frozenset({"ctrl", "shift", "v"}), frozenset({"shift", "insert"})})
"""Keys that paste the clipboard in GTK, Qt, browsers and terminals, in any order."""
COMMANDS = frozenset(
    {"os.system", "os.popen"}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen", "getoutput")}
)
"""Functions that start a command."""
_HARMLESS_OPTIONS = frozenset({"shell", "check", "text", "capture_output", "timeout", "universal_newlines", "encoding"})
_EDITS = frozenset(
    "backspace delete home end left right up down pageup pagedown tab space esc shift ctrl".split()  # noqa: SIM905
)
_KEEPING_CHORDS = frozenset(
    {frozenset({"ctrl", key}) for key in ("a", "home", "end", "u", "k", "e")} | {frozenset({"shift", "home"})}
)

_INSTALLED = r"(?:xclip|xsel|wl-clipboard|pyperclip|python3-pyperclip|python3-pip)"
_SUDO = r"(?:(?:echo\s+(?:[\w.-]+|'[\w.-]+'|\"[\w.-]+\")\s*\|\s*)?sudo(?:\s+-S)?\s+)?"
_INSTALL = re.compile(
    rf"\s*{_SUDO}(?:apt|apt-get)\s+(?:-y\s+)?(?:update|install(?:\s+-y|\s+{_INSTALLED})+)(?:\s+-y)?\s*"
    rf"|\s*{_SUDO}(?:python3?\s+-m\s+)?pip3?\s+install(?:\s+(?:-q|-U|--user|--quiet|--upgrade))*\s+pyperclip\s*"
)


def keeps_clipboard(actions: Sequence[Action]) -> bool:
    """Whether it is certain that what was copied before these actions is still on the clipboard after them."""
    return all(_keeps(action) for action in actions)


def _keeps(action: Action) -> bool:
    match action:
        case Wait() | Move():
            return True
        case Key(key=key):
            return key in _EDITS or len(key) == 1
        case Hotkey(keys=keys):
            return frozenset(keys) in _KEEPING_CHORDS
        case Type():
            return "\n" not in action.text
        case _:
            return False


def read_command(function: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Action, ...] | str | None:
    """What a command does, if it is certain: actions, or the text that it puts on the clipboard.

    Returns:
        None if the command does, or may do, anything else.
    """
    given = args[0] if len(args) == 1 else keywords.get("args")
    if len(args) > 1 or not set(keywords) <= _HARMLESS_OPTIONS | {"args", "input"}:
        return None
    line = function in ("os.system", "os.popen", "subprocess.getoutput") or keywords.get("shell") is True
    if isinstance(given, str) and line and "input" not in keywords:
        copied = clipboard_of_line(given)
        if copied is not None:
            return None if copied.primary else copied.text
        return _typable(input_of_words((), given))
    if not isinstance(given, tuple) or line:
        return None
    words = [word for word in given if isinstance(word, str)]
    if len(words) != len(given):
        return None
    if "input" in keywords:
        fed, command = keywords["input"], clipboard_of_line("printf x | " + " ".join(words))
        plain = all(re.fullmatch(r"[\w./-]+", word) for word in words)
        return fed if isinstance(fed, str) and plain and command is not None and not command.primary else None
    return _typable(input_of_words(words))


def _typable(actions: tuple[Action, ...]) -> tuple[Action, ...] | None:
    """The actions, if a keyboard types them as the command does; pyautogui's own has no letters beyond ASCII."""
    return None if not actions or any(isinstance(a, Type) and untypable(a.text) for a in actions) else actions


def is_clipboard_prologue(node: ast.Try) -> bool:
    """Whether a statement only makes sure that pyperclip can be imported, as some agents begin every text with.

    It imports pyperclip; where that fails it installs it and the programs that it needs, and imports it again.
    """
    return (
        len(node.body) == 1
        and _is_import(node.body[0])
        and len(node.handlers) == 1
        and (node.handlers[0].type is None or isinstance(node.handlers[0].type, ast.Name))
        and not (node.orelse or node.finalbody)
        and all(_is_import(part) or _installs(part) for part in node.handlers[0].body)
        and any(_is_import(part, "pyperclip") for part in node.handlers[0].body)
    )


def _is_import(node: ast.stmt, name: str = "") -> bool:
    if not isinstance(node, ast.Import) or any(alias.asname for alias in node.names):
        return False
    names = {alias.name for alias in node.names}
    return names == {name} if name else names <= {"pyperclip", "subprocess", "sys", "os"}


def _installs(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[given]) as call):
            function, words = f"{module}.{name}", call.keywords
        case _:
            return False
    if function not in COMMANDS or not all(isinstance(word.value, ast.Constant) for word in words):
        return False
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return all(_INSTALL.fullmatch(part) for part in given.value.split("&&"))
    if not isinstance(given, ast.List) or not given.elts:
        return False
    first, *rest = given.elts
    command = ["python3" if isinstance(first, ast.Attribute) and first.attr == "executable" else _word(first)]
    return _INSTALL.fullmatch(" ".join([*command, *map(_word, rest)])) is not None


def _word(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "?"
