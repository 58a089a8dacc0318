"""Actions and commands as requests of OSWorld's protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueline.actions import (
    Action,
    Click,
    Code,
    CursorPosition,
    Drag,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    Scroll,
    Type,
)
from trueline.actions.codecs.pyautogui import encode
from trueline.actions.keys import read_key
from trueline.desktop.input.execute import PIXELS_PER_CLICK
from trueline.errors import InputError

PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False\n"
"""OSWorld's own, but for the end of the line: what begins with a loop is legal behind it."""
_POSITION = "at = pyautogui.position()\nprint((int(at[0]), int(at[1])))"


def action_command(action: Action, *, any_text: bool) -> list[str]:
    """The command that does an action.

    Args:
        action: One that is done by the machine.
        any_text: The machine types any Unicode. A real pyautogui passes over what is not on its keyboard, and says
            nothing; and for `<` it types `>`, so that one is pressed as the keys it is on.

    Raises:
        EncodeError: The protocol has no words for it.
    """
    match action:
        case Code(language="bash"):
            return ["bash", "-c", action.source]
        case CursorPosition():
            source = _POSITION
        case _:
            said = _with_pyautogui_keys(_in_clicks(action))
            actions = (said,) if any_text else _without_less_than(said)
            source = "\n".join(encode(actions, for_record=any_text))
    return ["python", "-c", PREFIX + source]


def run_command(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str, stdin: str | None, seconds: float
) -> list[str]:
    """The command that runs a program in a folder, with variables, with a file as its input, for so long.

    Raises:
        InputError: It is empty or cannot be a command line.
    """
    if not argv or not argv[0] or "=" in argv[0]:
        raise InputError("no program to run: the command line is empty, or the program's name holds =")
    if any("\0" in word for word in (*argv, *env, *env.values(), cwd)) or any("=" in name or not name for name in env):
        raise InputError(f"{argv[0]}: a command line and its environment cannot hold NUL or names with =")
    fed = ["sh", "-c", 'exec "$@" <"$0"', stdin] if stdin else []
    variables = [f"{name}={value}" for name, value in env.items()]
    return ["timeout", "--signal=KILL", f"{seconds:g}", "env", "-C", cwd, *variables, *fed, *argv]


def launch_command(argv: Sequence[str], *, env: Mapping[str, str], cwd: str) -> list[str]:
    """The command that starts a program, says its process id and leaves it running."""
    start = 'command -v -- "$0" >/dev/null || exit 127; setsid -- "$0" "$@" </dev/null >/dev/null 2>&1 & echo $!'
    if not argv or not argv[0]:
        raise InputError("no program to run: the command line is empty")
    return ["env", "-C", cwd, *(f"{name}={value}" for name, value in env.items()), "sh", "-c", start, *argv]


def _in_clicks(action: Action) -> Action:
    if not isinstance(action, Scroll) or action.unit == "clicks":
        return action
    return action.model_copy(update={"unit": "clicks", "dx": _clicks(action.dx), "dy": _clicks(action.dy)})


def _clicks(pixels: int) -> int:
    clicks = -(-abs(pixels) // PIXELS_PER_CLICK)
    return clicks if pixels > 0 else -clicks


def _with_pyautogui_keys(action: Action) -> Action:
    """Keys in pyautogui's one spelling: it knows `return` and `escape` too, but neither `Page_Up` nor `super`."""
    match action:
        case Key() | KeyDown() | KeyUp():
            return action.model_copy(update={"key": read_key(action.key)})
        case Hotkey() | HoldKey():
            return action.model_copy(update={"keys": tuple(map(read_key, action.keys))})
        case Click() | Drag() | Scroll():
            return action.model_copy(update={"modifiers": tuple(map(read_key, action.modifiers))})
        case _:
            return action


def _without_less_than(action: Action) -> tuple[Action, ...]:
    press = Hotkey(keys=("shift", ","))
    if isinstance(action, Key) and action.key == "<":
        return (press,) * action.presses
    if not isinstance(action, Type) or action.paste or "<" not in action.text:
        return (action,)
    first, *rest = action.text.split("<")
    pieces: list[Action] = [action.model_copy(update={"text": first})] if first else []
    for piece in rest:
        pieces += [press, *([action.model_copy(update={"text": piece})] if piece else [])]
    return tuple(pieces)
