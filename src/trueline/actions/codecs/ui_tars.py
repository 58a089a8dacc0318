"""UI-TARS 1.5 and Doubao: `Thought: … Action: click(point='<point>10 20</point>')`, each action on a line of its own.

`press` holds a key down, as in the model's own parser; `hotkey` presses and releases. `wait()` is five seconds, and a
scroll is five clicks of the wheel, as the model is told.
"""

from __future__ import annotations

import re
from typing import Literal, NoReturn

from trueline.actions.codecs.quoted_calls import QuotedCall, quote, read_calls, starts_call
from trueline.actions.coordinates import Scale, Size, smart_resize
from trueline.actions.decoded import Decoded, DecodeError, EncodeError, express_only, well_formed
from trueline.actions.keys import model_name, pressed, read_words, unknown_keys
from trueline.actions.types import (
    Action,
    CallUser,
    Click,
    Done,
    Drag,
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

CODEC = "UI-TARS"
Space = Literal["pixels", "thousandths"]
"""Pixels of the picture as the model's processor resizes it (1.5), or thousandths of the screen (before)."""
Style = Literal["point", "box"]

WAIT_SECONDS = 5.0
SCROLL_CLICKS = 5
_FACTOR = 28
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_ACTION = re.compile(r"^[ \t]*Action:[ \t]*", re.MULTILINE)
_LABEL = re.compile(r"^[ \t]*(?:Thought|Reflection|Action_Summary):[ \t]*", re.MULTILINE)
_TAG = re.compile(r"</?(?:point|bbox)>|<\|box_(?:start|end)\|>")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_START = ("point", "start_point", "start_box")
_END = ("end_point", "end_box")


def scale(screen: Size, space: Space = "pixels") -> Scale:
    """Return the scale of a model of the family."""
    if space == "thousandths":
        return Scale(screen, (1000, 1000))
    resized = smart_resize(screen, factor=_FACTOR, min_pixels=100 * _FACTOR**2, max_pixels=16384 * _FACTOR**2)
    return Scale(screen, resized)


def decode(answer: str, scale: Scale) -> Decoded:
    """Read one answer.

    Raises:
        DecodeError: There is no action, or one of them cannot be understood; then none of them counts.
    """
    answer = well_formed(answer)
    thought, body = "", answer.replace("[EOS]", "")
    if body.lstrip().startswith("<think>") and "</think>" in body:
        thought, _, body = body.partition("</think>")
    for marker in _ACTION.finditer(body):
        if starts_call(body, marker.end()):
            thought += _LABEL.sub("", body[: marker.start()])
            try:
                calls = read_calls(body, marker.end(), between=_ACTION)
            except ValueError as error:
                raise DecodeError(CODEC, str(error), answer) from None
            actions = tuple(_Reader(call, scale, answer).read() for call in calls)
            said = thought.replace("<think>", "", 1).strip()
            return Decoded(actions, thought=said, note=unknown_keys(actions))
    raise DecodeError(CODEC, "no action after 'Action:'", answer)


def encode(action: Action, scale: Scale, style: Style = "point") -> str:
    """Write an action as the model would. Raises EncodeError for what the vocabulary cannot say."""
    try:
        name, arguments = _write(action, scale, style)
    except ValueError as error:
        raise EncodeError(CODEC, action, str(error)) from None
    return f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


class _Reader:
    """Reads one call; every argument must be read."""

    def __init__(self, call: QuotedCall, scale: Scale, answer: str) -> None:
        self.call = call
        self.left = dict(call.values)
        self.scale = scale
        self.answer = answer

    def read(self) -> Action:
        action = self.action()
        if self.left:
            self.fail(f"takes no {', '.join(self.left)}")
        return action.model_copy(update={"raw": self.call.raw})

    def action(self) -> Action:
        match self.call.name:
            case "click" | "left_single":
                return Click(at=self.point(_START))
            case "left_double":
                return Click(at=self.point(_START), count=2)
            case "right_single":
                return Click(at=self.point(_START), button="right")
            case "hover" | "move_to":
                return Move(to=self.point(_START))
            case "mouse_down":
                return MouseDown(at=self.maybe_point(_START))
            case "mouse_up":
                return MouseUp(at=self.maybe_point(_START))
            case "drag" | "select":
                return Drag(start=self.point(_START), path=(self.point(_END),))
            case "scroll":
                dx, dy = _DIRECTIONS.get(direction := self.text("direction"), (0, 0))
                if not dx and not dy:
                    self.fail(f"knows no direction {direction!r}")
                return Scroll(at=self.maybe_point(_START), dx=dx * SCROLL_CLICKS, dy=dy * SCROLL_CLICKS)
            case "hotkey":
                return pressed(self.keys("key", "hotkey"))
            case "press" | "keydown":
                return KeyDown(key=self.key())
            case "release" | "keyup":
                return KeyUp(key=self.key())
            case "type":
                return Type(text=self.text("content"))
            case "wait":
                return Wait(seconds=WAIT_SECONDS)
            case "finished":
                return Done(answer=self.left.pop("content", None) or None)
            case "call_user":
                return CallUser(message=self.left.pop("content", None) or None)
            case _:
                return self.fail("is not an action of the model")

    def fail(self, reason: str) -> NoReturn:
        raise DecodeError(CODEC, f"{self.call.name} {reason}", self.answer)

    def text(self, *names: str) -> str:
        given = [name for name in names if name in self.left]
        return self.left.pop(given[0]) if given else self.fail(f"needs {names[0]}")

    def keys(self, *names: str) -> tuple[str, ...]:
        try:
            keys = read_words(self.text(*names))
        except ValueError as error:
            self.fail(str(error))
        return keys or self.fail("names no key")

    def key(self) -> str:
        keys = self.keys("key", "press")
        return keys[0] if len(keys) == 1 else self.fail("takes one key")

    def maybe_point(self, names: tuple[str, ...]) -> Point | None:
        return self.point(names) if any(name in self.left for name in names) else None

    def point(self, names: tuple[str, ...]) -> Point:
        """Return a point, or the middle of a box of four numbers."""
        value = self.text(*names)
        words = _TAG.sub(" ", value).strip(" \t()[]").replace(",", " ").split()
        if len(words) not in (2, 4) or not all(_NUMBER.fullmatch(word) for word in words):
            self.fail(f"cannot go to {value[:60]!r}")
        numbers = [float(word) for word in words]
        x, y = ((numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2)
        try:
            return self.scale.to_screen(x, y)
        except ValueError as error:
            self.fail(str(error))


def _write(action: Action, scale: Scale, style: Style) -> tuple[str, dict[str, str]]:
    match action:
        case Click(at=Point() as at):
            express_only(CODEC, action, "at", "button", "count")
            names = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}
            name = names.get((action.button, action.count))
            if not name:
                raise EncodeError(CODEC, action, f"there is no {action.button} click {action.count} times")
            return name, _at(at, scale, style)
        case Move():
            express_only(CODEC, action, "to")
            return "hover", _at(action.to, scale, style)
        case MouseDown() | MouseUp():
            express_only(CODEC, action, "at")
            return action.kind, _at(action.at, scale, style) if action.at else {}
        case Drag(start=Point() as start, path=(end,)):
            express_only(CODEC, action, "start", "path")
            points = _place(start, scale, style), _place(end, scale, style)
            return "drag", dict(zip((f"start_{style}", f"end_{style}"), points, strict=True))
        case Scroll():
            express_only(CODEC, action, "at", "dx", "dy")
            for direction, (dx, dy) in _DIRECTIONS.items():
                if (action.dx, action.dy) == (dx * SCROLL_CLICKS, dy * SCROLL_CLICKS):
                    place = _at(action.at, scale, style) if action.at else {}
                    return "scroll", {**place, "direction": quote(direction)}
            raise EncodeError(CODEC, action, f"a scroll is {SCROLL_CLICKS} clicks one way")
        case Key() | Hotkey():
            express_only(CODEC, action, "key", "keys")
            keys = (action.key,) if isinstance(action, Key) else action.keys
            return "hotkey", {"key": quote(" ".join(model_name(key) for key in keys))}
        case KeyDown() | KeyUp():
            return "press" if isinstance(action, KeyDown) else "release", {"key": quote(model_name(action.key))}
        case Type():
            express_only(CODEC, action, "text")
            return "type", {"content": quote(action.text)}
        case Wait(seconds=5.0):
            return "wait", {}
        case Done(answer=said) | CallUser(message=said):
            return "finished" if isinstance(action, Done) else "call_user", {"content": quote(said)} if said else {}
        case _:
            raise EncodeError(CODEC, action, "it has no such action")


def _at(at: Point, scale: Scale, style: Style) -> dict[str, str]:
    return {"point" if style == "point" else "start_box": _place(at, scale, style)}


def _place(at: Point, scale: Scale, style: Style) -> str:
    x, y = scale.from_screen(at)
    return f"'<point>{x} {y}</point>'" if style == "point" else f"'({x},{y})'"
