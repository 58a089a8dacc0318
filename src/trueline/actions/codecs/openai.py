"""OpenAI's computer tools: `computer_call` items with one `action` (`computer_use_preview`) or several (`computer`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from trueline.actions.codecs.fields import Fields, is_array, is_object
from trueline.actions.coordinates import Scale
from trueline.actions.decoded import Decoded, DecodedCall, EncodeError, SafetyCheck, express_only
from trueline.actions.keys import openai_name, pressed, read_key, unknown_keys
from trueline.actions.types import (
    Action,
    Button,
    Click,
    Drag,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    Move,
    Point,
    Screenshot,
    Scroll,
    Type,
    Wait,
)

CODEC = "computer_call"
OpenAITool = Literal["computer_use_preview", "computer"]

_BUTTONS: dict[str, Button] = {
    "left": "left",
    "right": "right",
    "wheel": "middle",
    "back": "back",
    "forward": "forward",
}
_BUTTON_NAMES = {button: name for name, button in _BUTTONS.items()}


def decode(output: Sequence[Mapping[str, object]], scale: Scale) -> Decoded:
    """Read the output items of one response: computer calls, messages and the summary of the reasoning.

    Raises:
        DecodeError: A computer call does not fit.
    """
    thought: list[str] = []
    text: list[str] = []
    calls: list[DecodedCall] = []
    for item in output:
        match item.get("type"):
            case "reasoning":
                thought += _texts(item.get("summary"))
            case "message":
                text += _texts(item.get("content"))
            case "computer_call":
                calls.append(decode_call(item, scale))
            case _:
                pass
    actions = tuple(action for call in calls for action in call.actions)
    return Decoded(
        actions,
        thought="\n".join(thought),
        text="\n".join(text),
        calls=tuple(calls),
        note=unknown_keys(actions),
    )


def decode_call(item: Mapping[str, object], scale: Scale) -> DecodedCall:
    """Read one `computer_call` item with its pending safety checks."""
    fields = Fields(CODEC, item)
    actions = list(fields.array("actions")) if fields.has("actions") else []
    single = fields.take("action")
    if single is not None and single not in actions:
        if actions:
            fields.fail("action and actions disagree")
        actions = [single]
    if not actions:
        fields.fail("no action in the call")
    checks = fields.array("pending_safety_checks") if fields.has("pending_safety_checks") else ()
    return DecodedCall(
        fields.text("call_id"),
        tuple(step for action in actions for step in decode_action(action, scale)),
        tuple(_safety_check(check) for check in checks),
    )


def decode_action(data: object, scale: Scale) -> tuple[Action, ...]:
    """Read one action of a call; a move with keys held is several."""
    fields = Fields(CODEC, data)
    fields.what = fields.text("type")
    actions = _read(fields, scale)
    fields.end()
    return tuple(action.model_copy(update={"raw": fields.raw}) for action in actions)


def encode(action: Action, tool: OpenAITool, scale: Scale) -> dict[str, object]:
    """Write an action as the object inside a call. Raises EncodeError for what the tool cannot say."""
    try:
        return _write(action, tool, scale)
    except ValueError as error:
        raise EncodeError(tool, action, str(error)) from None


def _read(fields: Fields, scale: Scale) -> list[Action]:
    match fields.what:
        case "click":
            name = fields.maybe_text("button") or "left"
            button = _BUTTONS.get(name) or fields.fail(f"unknown button {name!r}")
            return [Click(at=_point(fields, scale), button=button, modifiers=_held(fields))]
        case "double_click":
            return [Click(at=_point(fields, scale), count=2, modifiers=_held(fields))]
        case "move":
            to, held = _point(fields, scale), _held(fields)
            return [*(KeyDown(key=key) for key in held), Move(to=to), *(KeyUp(key=key) for key in reversed(held))]
        case "drag":
            path = [fields.place("path", point, scale) for point in fields.array("path")]
            if len(path) < 2:
                fields.fail("the path of a drag needs two points")
            return [Drag(start=path[0], path=tuple(path[1:]), modifiers=_held(fields))]
        case "scroll":
            dx, dy = fields.maybe_integer("scroll_x") or 0, fields.maybe_integer("scroll_y") or 0
            return [Scroll(at=_point(fields, scale), dx=dx, dy=dy, unit="pixels", modifiers=_held(fields))]
        case "keypress":
            return [pressed(fields.keys("keys", _read_name))]
        case "type":
            return [Type(text=fields.text("text"))]
        case "wait":
            return [Wait()]
        case "screenshot":
            return [Screenshot()]
        case name:
            return fields.fail(f"unknown action {name!r}")


def _point(fields: Fields, scale: Scale) -> Point:
    return fields.place("x, y", [fields.number("x"), fields.number("y")], scale)


def _held(fields: Fields) -> tuple[str, ...]:
    keys = fields.array("keys") if fields.has("keys") else ()
    return Fields(CODEC, {"keys": keys}, fields.raw).keys("keys", _read_name) if keys else ()


def _read_name(name: str) -> str:
    # Names come in capitals: "C" is the key, not Shift and c.
    return name.lower() if len(name) == 1 and name != " " else read_key(name)


def _safety_check(data: object) -> SafetyCheck:
    fields = Fields(CODEC, data)
    return SafetyCheck(fields.text("id"), fields.maybe_text("code"), fields.maybe_text("message"))


def _texts(parts: object) -> list[str]:
    texts = [part.get("text") for part in parts if is_object(part)] if is_array(parts) else []
    return [text for text in texts if isinstance(text, str)]


def _write(action: Action, tool: OpenAITool, scale: Scale) -> dict[str, object]:
    match action:
        case Click(at=Point() as at, count=1):
            express_only(tool, action, "at", "button", "modifiers")
            return {"type": "click", "button": _BUTTON_NAMES[action.button], **_xy(at, scale), **_keys(action, tool)}
        case Click(at=Point() as at, count=2):
            express_only(tool, action, "at", "count", "modifiers")
            return {"type": "double_click", **_xy(at, scale), **_keys(action, tool)}
        case Move():
            express_only(tool, action, "to")
            return {"type": "move", **_xy(action.to, scale)}
        case Drag(start=Point() as start):
            express_only(tool, action, "start", "path", "modifiers")
            path = [_xy(at, scale) for at in (start, *action.path)]
            return {"type": "drag", "path": path, **_keys(action, tool)}
        case Scroll(at=Point() as at, unit="pixels"):
            amount = {"scroll_x": action.dx, "scroll_y": action.dy}
            return {"type": "scroll", **_xy(at, scale), **amount, **_keys(action, tool)}
        case Key() | Hotkey():
            express_only(tool, action, "key", "keys")
            keys = (action.key,) if isinstance(action, Key) else action.keys
            return {"type": "keypress", "keys": [_name(key) for key in keys]}
        case Type():
            express_only(tool, action, "text")
            return {"type": "type", "text": action.text}
        case Wait(seconds=None) | Screenshot():
            return {"type": action.kind}
        case Click() | Drag() | Scroll():
            raise EncodeError(tool, action, "it takes one or two clicks at a point, and scrolls by pixels")
        case _:
            raise EncodeError(tool, action, "it has no such action")


def _xy(at: Point, scale: Scale) -> dict[str, object]:
    x, y = scale.from_screen(at)
    return {"x": x, "y": y}


def _keys(action: Click | Drag | Scroll, tool: OpenAITool) -> dict[str, object]:
    if not action.modifiers:
        return {}
    if tool == "computer_use_preview":
        raise EncodeError(tool, action, "it cannot hold keys down")
    return {"keys": [_name(key) for key in action.modifiers]}


def _name(key: str) -> str:
    name = openai_name(key)
    if len(key) == 1 and _read_name(name) != key:
        raise ValueError(f"it does not distinguish the capital letter {key!r}; hold shift")
    return name
