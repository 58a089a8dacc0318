"""Qwen3-VL's `computer_use` function: JSON between `<tool_call>` tags, one or several in an answer.

Positive `pixels` scroll up, and to the right with hscroll. `answer` gives the answer of the task and ends it; a
`terminate` behind it only says how it ended.
"""

from __future__ import annotations

from typing import Literal

import orjson

from trueline.actions.codecs.fields import Fields, dump
from trueline.actions.coordinates import Scale, Size, smart_resize
from trueline.actions.decoded import Decoded, DecodeError, EncodeError, express_only, well_formed
from trueline.actions.keys import model_name, pressed, read_key, read_words, unknown_keys
from trueline.actions.types import (
    Action,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    Hotkey,
    Key,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)

CODEC = "computer_use"
Space = Literal["relative", "absolute"]
"""0 to 999 on both axes, or pixels of the resized picture."""

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_CLICKS: dict[str, tuple[Button, int]] = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}


def scale(screen: Size, space: Space = "relative") -> Scale:
    """Return the scale of a model of the family."""
    if space == "relative":
        return Scale(screen, (999, 999))
    return Scale(screen, smart_resize(screen, factor=32, min_pixels=3136, max_pixels=13_107_200))


def decode(answer: str, scale: Scale) -> Decoded:
    """Read one answer. Text before and between the calls is the thought. Without a call there are no actions.

    Raises:
        DecodeError: A call is not closed, is no JSON, or does not fit; then none of them counts.
    """
    answer = well_formed(answer)
    outside, *pieces = answer.split(_OPEN)
    thought = [outside]
    actions: list[Action] = []
    for piece in pieces:
        body, closed, after = piece.partition(_CLOSE)
        if not closed:
            raise DecodeError(CODEC, f"a call without {_CLOSE}", answer)
        thought.append(after)
        try:
            call = Fields(CODEC, orjson.loads(body), answer)
        except orjson.JSONDecodeError as error:
            raise DecodeError(CODEC, f"a call that is not JSON: {error}", answer) from None
        if (name := call.text("name")) != "computer_use":
            raise DecodeError(CODEC, f"a call of {name!r}", answer)
        try:
            actions.append(decode_arguments(call.take("arguments"), scale))
        except DecodeError as error:
            raise DecodeError(CODEC, error.reason, answer) from None
        call.end()
    said = "\n".join(text.strip() for text in thought if text.strip())
    return Decoded(_ended(actions), thought=said, note=unknown_keys(actions))


def decode_arguments(data: object, scale: Scale) -> Action:
    """Read the arguments of one call."""
    fields = Fields(CODEC, data)
    fields.what = fields.text("action")
    action = _read(fields, scale).model_copy(update={"raw": fields.raw})
    fields.end()
    return action


def encode(action: Action, scale: Scale) -> dict[str, object]:
    """Write an action as the arguments of a call. Raises EncodeError for what the function cannot say."""
    try:
        name, arguments = _write(action, scale)
    except ValueError as error:
        raise EncodeError(CODEC, action, str(error)) from None
    return {"action": name, **arguments}


def encode_call(action: Action, scale: Scale) -> str:
    """Write an action as the text of a call."""
    return f"{_OPEN}\n{dump({'name': 'computer_use', 'arguments': encode(action, scale)})}\n{_CLOSE}"


def _ended(actions: list[Action]) -> tuple[Action, ...]:
    match actions:
        case [*before, Done(answer=str()) as answer, Done(answer=None)]:
            return (*before, answer)
        case [*before, Done(answer=str(said)) as answer, Fail() as end]:
            return (*before, end.model_copy(update={"reason": said, "raw": f"{answer.raw}\n{end.raw}"}))
        case _:
            return tuple(actions)


def _read(fields: Fields, scale: Scale) -> Action:
    match fields.what:
        case name if name in _CLICKS:
            button, count = _CLICKS[name]
            return Click(at=fields.maybe_point("coordinate", scale), button=button, count=count)
        case "mouse_move":
            return Move(to=fields.point("coordinate", scale))
        case "left_click_drag":
            return Drag(path=(fields.point("coordinate", scale),))
        case "scroll":
            at, pixels = fields.maybe_point("coordinate", scale), fields.integer("pixels")
            return Scroll(at=at, dy=-pixels, unit="pixels")
        case "hscroll":
            at, pixels = fields.maybe_point("coordinate", scale), fields.integer("pixels")
            return Scroll(at=at, dx=pixels, unit="pixels")
        case "key":
            return pressed(_keys(fields))
        case "type":
            return Type(text=fields.text("text"))
        case "wait":
            return Wait(seconds=fields.seconds("time") if fields.has("time") else None)
        case "answer":
            return Done(answer=fields.text("text"))
        case "terminate":
            status = fields.text("status")
            if status not in ("success", "failure"):
                fields.fail(f"status must be success or failure, got {status!r}")
            return Done() if status == "success" else Fail()
        case name:
            return fields.fail(f"unknown action {name!r}")


def _keys(fields: Fields) -> tuple[str, ...]:
    """Read the keys; one entry may name several (`ctrl+c`), and a single space is the space bar."""
    names = fields.keys("keys", str)
    try:
        return tuple(key for name in names for key in (read_words(name) if name.strip() else (read_key(name),)))
    except ValueError as error:
        fields.fail(str(error))


def _write(action: Action, scale: Scale) -> tuple[str, dict[str, object]]:
    match action:
        case Click():
            express_only(CODEC, action, "at", "button", "count")
            for name, shape in _CLICKS.items():
                if shape == (action.button, action.count):
                    return name, _at(action.at, scale)
            raise EncodeError(CODEC, action, f"there is no {action.button} click {action.count} times")
        case Move():
            express_only(CODEC, action, "to")
            return "mouse_move", _at(action.to, scale)
        case Drag(path=(end,)):
            express_only(CODEC, action, "path")
            return "left_click_drag", _at(end, scale)
        case Scroll(unit="pixels", dx=0):
            express_only(CODEC, action, "at", "dy", "unit")
            return "scroll", {**_at(action.at, scale), "pixels": -action.dy}
        case Scroll(unit="pixels", dy=0):
            express_only(CODEC, action, "at", "dx", "unit")
            return "hscroll", {**_at(action.at, scale), "pixels": action.dx}
        case Key() | Hotkey():
            express_only(CODEC, action, "key", "keys")
            keys = (action.key,) if isinstance(action, Key) else action.keys
            return "key", {"keys": [model_name(key) for key in keys]}
        case Type():
            express_only(CODEC, action, "text")
            return "type", {"text": action.text}
        case Wait():
            return "wait", {} if action.seconds is None else {"time": action.seconds}
        case Done(answer=None):
            return "terminate", {"status": "success"}
        case Done():
            return "answer", {"text": action.answer}
        case Fail():
            express_only(CODEC, action)
            return "terminate", {"status": "failure"}
        case _:
            raise EncodeError(CODEC, action, "it has no such action")


def _at(at: Point | None, scale: Scale) -> dict[str, object]:
    return {"coordinate": list(scale.from_screen(at))} if at else {}
