"""Actions as pyautogui source, for OSWorld's servers and result files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trueline.actions.decoded import EncodeError
from trueline.actions.keys import pyautogui_name, untypable
from trueline.actions.types import (
    Action,
    Click,
    Code,
    Done,
    Drag,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)

CODEC = "pyautogui"
_DEFAULT_PAUSE = 0.1
_MOST_SHOWN = 5

Coordinates = Callable[[Point], str]
"""Writes a point as two arguments."""


def encode(actions: Sequence[Action], *, for_record: bool = False) -> tuple[str, ...]:
    """Write actions as OSWorld action strings, in order.

    Neighbours share one program; WAIT, DONE, FAIL and `Code` stand alone. Every program begins with a plain import, so
    it is also legal behind the `import …; ` that OSWorld's runner puts in front.

    Args:
        actions: What to write.
        for_record: The strings are to be read, not run: `write()` then takes any text. pyautogui itself passes over
            every character that is not on its keyboard, and says nothing.

    Raises:
        EncodeError: pyautogui has no call for one of the actions.
    """
    strings: list[str] = []
    group: list[Action] = []
    for action in actions:
        if isinstance(action, Type) and not (for_record or action.paste) and (lost := untypable(action.text)):
            raise EncodeError(CODEC, action, f"pyautogui cannot type {', '.join(map(repr, lost[:_MOST_SHOWN]))}")
        alone = _alone(action)
        if alone is None:
            group.append(action)
            continue
        if group:
            strings.append(render(group))
            group = []
        strings.append(alone)
    return (*strings, render(group)) if group else tuple(strings)


def pixels(at: Point) -> str:
    """Write a point in pixels."""
    return f"{at.x}, {at.y}"


def render(actions: Sequence[Action], write: Coordinates = pixels) -> str:
    """Write actions as one program; raises EncodeError for what no call can say."""
    lines: list[str] = []
    pause = _DEFAULT_PAUSE
    for action in actions:
        try:
            calls = _lines(action, write)
        except ValueError as error:
            raise EncodeError(CODEC, action, str(error)) from None
        if isinstance(action, Wait | HoldKey):
            calls += [f"time.sleep({action.pause_after!r})"] if action.pause_after else []
        elif action.pause_after != pause:
            pause = action.pause_after
            calls.insert(0, f"pyautogui.PAUSE = {pause!r}")
        lines += calls
    imports = ["import pyautogui", *(["import time"] if any("time.sleep" in line for line in lines) else [])]
    copies = any(line.startswith("pyperclip.copy(") for line in lines)
    return "\n".join([*imports, *(["import pyperclip"] if copies else []), *lines])


def _alone(action: Action) -> str | None:
    match action:
        case Wait(seconds=None):
            return "WAIT"
        case Done(answer=None):
            return "DONE"
        case Fail(reason=None, refused=False):
            return "FAIL"
        case Code(language="python"):
            return action.source
        case Done() | Fail():
            raise EncodeError(CODEC, action, "DONE and FAIL are bare words; leave the answer or the reason out first")
        case _:
            return None


def _lines(action: Action, write: Coordinates) -> list[str]:
    match action:
        case Click():
            clicks = [f"clicks={action.count}"] if action.count > 1 else []
            call = _call(
                "click", _at(action.at, write), *clicks, *_timing("interval", action.interval), *_button(action)
            )
            return _held(action, [call])
        case Move():
            return [_call("moveTo", write(action.to), *_timing("duration", action.duration))]
        case Drag():
            return _held(action, _drag(action, write))
        case MouseDown() | MouseUp():
            name = "mouseDown" if isinstance(action, MouseDown) else "mouseUp"
            return [_call(name, _at(action.at, write), *_button(action))]
        case Scroll():
            return _held(action, _scroll(action, write))
        case Type(paste=keys) if keys:
            return [f"pyperclip.copy({action.text!r})", _call("hotkey", *(_key(key) for key in keys))]
        case Type():
            return [_call("write", repr(action.text), *_timing("interval", action.interval))]
        case Key():
            presses = [f"presses={action.presses}"] if action.presses > 1 else []
            return [_call("press", _key(action.key), *presses, *_timing("interval", action.interval))]
        case Hotkey():
            return [_call("hotkey", *(_key(key) for key in action.keys))]
        case KeyDown():
            return [_call("keyDown", _key(action.key))]
        case KeyUp():
            return [_call("keyUp", _key(action.key))]
        case HoldKey():
            return [_hold(action.keys), f"    time.sleep({action.duration!r})"]
        case Wait(seconds=float(seconds)):
            return [f"time.sleep({seconds!r})"]
        case _:
            raise ValueError("there is no such call")


def _call(function: str, *arguments: str) -> str:
    return f"pyautogui.{function}({', '.join(argument for argument in arguments if argument)})"


def _at(at: Point | None, write: Coordinates) -> str:
    return write(at) if at else ""


def _timing(name: str, seconds: float) -> list[str]:
    return [f"{name}={seconds!r}"] if seconds else []


def _button(action: Click | MouseDown | MouseUp | Drag) -> list[str]:
    if action.button in ("back", "forward"):
        raise ValueError(f"there is no {action.button} button")
    return [f"button={action.button!r}"] if action.button != "left" else []


def _drag(action: Drag, write: Coordinates) -> list[str]:
    move = [_call("moveTo", write(action.start), "_pause=False")] if action.start else []
    if len(action.path) == 1:
        timing = _timing("duration", action.duration)
        return [*move, _call("dragTo", write(action.path[0]), *timing, *_button(action))]
    *through, end = action.path
    share = action.duration / len(action.path)
    return [
        *move,
        _call("mouseDown", *_button(action), "_pause=False"),
        *(_call("moveTo", write(at), *_timing("duration", share), "_pause=False") for at in through),
        _call("moveTo", write(end), *_timing("duration", share), "_pause=False"),
        _call("mouseUp", *_button(action)),
    ]


def _scroll(action: Scroll, write: Coordinates) -> list[str]:
    if action.unit != "clicks":
        raise ValueError("it scrolls by clicks of the wheel, not by pixels")
    if action.at and not action.dx and not action.dy:
        raise ValueError("without a click of the wheel, pyautogui does not move the pointer either")
    at = _at(action.at, write)
    calls = [("hscroll", action.dx)] if action.dx else []
    if action.dy or not action.dx:
        calls.append(("scroll", -action.dy))
    last = len(calls) - 1
    return [_call(name, str(n), at, *(["_pause=False"] if i < last else [])) for i, (name, n) in enumerate(calls)]


def _held(action: Click | Drag | Scroll, calls: list[str]) -> list[str]:
    if not action.modifiers:
        return calls
    return [_hold(action.modifiers), *(f"    {call}" for call in calls)]


def _hold(keys: tuple[str, ...]) -> str:
    names = ", ".join(_key(key) for key in keys)
    return f"with pyautogui.hold([{names}], _pause=False):"


def _key(key: str) -> str:
    return repr(pyautogui_name(key))
