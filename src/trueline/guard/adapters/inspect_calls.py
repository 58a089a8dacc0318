"""Tool calls of Inspect's own tools as actions: `computer`, `bash` and `python`."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.actions import Action, Click, Code, DecodeError, Hotkey, Key, Type
from trueline.actions.codecs import claude
from trueline.actions.codecs.fields import Fields, dump, is_array, is_object
from trueline.actions.coordinates import Scale, Size
from trueline.actions.types import Button
from trueline.errors import InputError

CODEC = "Inspect"
_SCREEN = Size(32768, 32768)
_BUTTONS: dict[str, Button] = {"back_click": "back", "forward_click": "forward"}
_SOURCE = ("command", "cmd", "code")


def read_call(function: str, arguments: Mapping[str, object]) -> tuple[Action, ...]:
    """Read a tool call.

    Raises:
        InputError: It is a call of another tool.
        DecodeError: It is a call of one of these and does not fit.
    """
    if function == "computer":
        return _computer(arguments)
    if function in ("bash", "python"):
        given = {name: value for name, value in arguments.items() if value is not None}
        source = next((given[name] for name in _SOURCE if set(given) == {name}), None)
        if not isinstance(source, str):
            raise DecodeError(CODEC, f"{function} takes one string", dump(arguments))
        return (Code(source=source, language=function, raw=dump(arguments)),)
    raise InputError(f"action: calls of the tool {function} cannot be read as computer actions")


def _computer(arguments: Mapping[str, object]) -> tuple[Action, ...]:
    several = arguments.get("actions")
    if several is None:
        return _single(arguments)
    if not is_array(several) or any(value is not None for name, value in arguments.items() if name != "actions"):
        raise DecodeError(CODEC, "actions must be a list, and the only argument", dump(arguments))
    objects = [item for item in several if is_object(item)]
    if len(objects) != len(several):
        raise DecodeError(CODEC, "actions must be objects", dump(arguments))
    return tuple(action for item in objects for action in _single(item))


def _single(arguments: Mapping[str, object]) -> tuple[Action, ...]:
    fields = Fields(CODEC, arguments)
    scale = Scale(_SCREEN, _SCREEN)
    kind = fields.what = fields.text("action")
    match kind:
        case "type" if fields.has("coordinate") or fields.has("press_enter"):
            at, enter = fields.maybe_point("coordinate", scale), fields.take("press_enter")
            text = fields.text("text")
            found: list[Action] = [
                *([Click(at=at)] if at else []),
                Type(text=text),
                *([Key(key="enter")] if enter else []),
            ]
        case "back_click" | "forward_click":
            found = [Click(at=fields.maybe_point("coordinate", scale), button=_BUTTONS[kind])]
        case "navigate":
            # What a person would do for it; the address is what matters.
            found = [Hotkey(keys=("ctrl", "l")), Type(text=fields.text("text")), Key(key="enter")]
        case "open_web_browser":
            found = [Code(source="open_web_browser", language="bash")]
        case _:
            return claude.decode_call("computer", arguments, "computer_20251124", scale)
    fields.end()
    return tuple(action.model_copy(update={"raw": fields.raw}) for action in found)
