"""Claude's computer tools: `computer_20250124`, `computer_20251124` and the toolset `computer_toolset_20260801`.

The first two are one tool whose input names the action; the toolset is one tool per action. The agent of OSWorld adds
four actions to the single tools (left_press, done, fail, call_user) and the word [INFEASIBLE]; they are read here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from trueline.actions.codecs.fields import Fields, dump
from trueline.actions.coordinates import Scale
from trueline.actions.decoded import Decoded, DecodedCall, EncodeError, express_only
from trueline.actions.keys import pressed, read_combo, read_sequence, unknown_keys, x_combo
from trueline.actions.types import (
    Action,
    Button,
    CallUser,
    Click,
    CursorPosition,
    Done,
    Drag,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
)

ClaudeTool = Literal["computer_20250124", "computer_20251124", "computer_toolset_20260801"]

INFEASIBLE = "[INFEASIBLE]"
_TOOLSET = "computer_toolset_20260801"
_CLICKS: dict[str, tuple[Button, int]] = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_MAX_REPEAT = 100
_MAX_KEYS = 100
_LEFT_PRESS_SECONDS = 1.0
_SCROLL_AMOUNT = 5
"""Notches of a scroll without an amount, as in the tool's documentation."""


def tool_definition(tool: ClaudeTool, width: int, height: int) -> dict[str, object]:
    """Return the entry for the request's list of tools. The toolset has no size: it uses pixels of the picture."""
    if tool == _TOOLSET:
        return {"type": tool}
    entry: dict[str, object] = {
        "type": tool,
        "name": "computer",
        "display_width_px": width,
        "display_height_px": height,
    }
    return entry | {"enable_zoom": True} if tool == "computer_20251124" else entry


def decode(content: Sequence[Mapping[str, object]], tool: ClaudeTool, scale: Scale) -> Decoded:
    """Read the content blocks of one answer. Its calls stand in order; the text [INFEASIBLE] alone is a fail.

    Raises:
        DecodeError: A block is not a call of the computer tool, or its input does not fit.
    """
    thought: list[str] = []
    text: list[str] = []
    calls: list[DecodedCall] = []
    for block in content:
        fields = Fields(tool, block)
        match fields.maybe_text("type"):
            case "thinking":
                thought.append(fields.maybe_text("thinking") or "")
            case "text":
                text.append(fields.text("text"))
            case "tool_use":
                name, input_ = fields.text("name"), fields.take("input")
                calls.append(DecodedCall(fields.text("id"), decode_call(name, input_, tool, scale)))
            case _:
                pass  # redacted thinking, results of server tools
    said = "\n".join(text)
    actions = tuple(action for call in calls for action in call.actions)
    if not calls and INFEASIBLE in said:
        actions = (Fail(reason=said.replace(INFEASIBLE, "").strip() or None, raw=said),)
    return Decoded(actions, thought="\n".join(thought), text=said, calls=tuple(calls), note=unknown_keys(actions))


def decode_call(name: str, data: object, tool: ClaudeTool, scale: Scale) -> tuple[Action, ...]:
    """Read one call: the tool's name and its input. Several keys in one call are several actions."""
    fields = Fields(tool, data, dump({"name": name, "input": data}))
    if tool == _TOOLSET:
        fields.what = name
    elif name == "computer":
        fields.what = fields.text("action")
    else:
        fields.fail(f"{name!r} is not the computer tool")
    actions = _read(fields, tool, scale)
    fields.end()
    return tuple(action.model_copy(update={"raw": fields.raw}) for action in actions)


def encode(action: Action, tool: ClaudeTool, scale: Scale) -> tuple[str, dict[str, object]]:
    """Write an action as a call: the tool's name and its input. Raises EncodeError for what the tool cannot say."""
    try:
        name, data = _write(action, tool, scale)
    except ValueError as error:
        raise EncodeError(tool, action, str(error)) from None
    return (name, data) if tool == _TOOLSET else ("computer", {"action": name, **data})


def _read(fields: Fields, tool: ClaudeTool, scale: Scale) -> list[Action]:
    match fields.what:
        case name if name in _CLICKS:
            button, count = _CLICKS[name]
            at, modifiers = fields.maybe_point("coordinate", scale), _modifiers(fields, tool)
            return [Click(at=at, button=button, count=count, modifiers=modifiers)]
        case "mouse_move":
            return [Move(to=fields.point("coordinate", scale))]
        case "left_click_drag":
            start, end = fields.maybe_point("start_coordinate", scale), fields.point("coordinate", scale)
            return [Drag(start=start, path=(end,), modifiers=_modifiers(fields, tool))]
        case "left_mouse_down":
            return [MouseDown(at=fields.maybe_point("coordinate", scale))]
        case "left_mouse_up":
            return [MouseUp(at=fields.maybe_point("coordinate", scale))]
        case "scroll":
            return [_scroll(fields, tool, scale)]
        case "type":
            return [Type(text=fields.text("text"))]
        case "key":
            return _keys(fields, tool)
        case "hold_key":
            return [HoldKey(keys=_combo(fields, fields.text("text"), tool), duration=fields.seconds("duration"))]
        case "wait":
            return [Wait(seconds=fields.seconds("duration") if fields.has("duration") else None)]
        case "screenshot":
            return [Screenshot()]
        case "cursor_position":
            return [CursorPosition()]
        case "zoom" if tool != "computer_20250124":
            return [_zoom(fields, scale)]
        case name if tool != _TOOLSET and (extra := _read_extra(fields, name, scale)):
            return extra
        case name:
            return fields.fail(f"unknown action {name!r}")


def _read_extra(fields: Fields, name: str, scale: Scale) -> list[Action]:
    """Read what OSWorld's agent adds."""
    match name:
        case "left_press":
            at = fields.maybe_point("coordinate", scale)
            return [MouseDown(at=at), Wait(seconds=_LEFT_PRESS_SECONDS), MouseUp()]
        case "done":
            return [Done(answer=fields.maybe_text("text"))]
        case "fail":
            return [Fail(reason=fields.maybe_text("text"))]
        case "call_user":
            return [CallUser(message=fields.maybe_text("text"))]
        case _:
            return []


def _scroll(fields: Fields, tool: ClaudeTool, scale: Scale) -> Scroll:
    direction, given = fields.text("scroll_direction"), fields.maybe_integer("scroll_amount")
    amount = _SCROLL_AMOUNT if given is None else given
    if direction not in _DIRECTIONS or amount < 0:
        fields.fail(f"cannot scroll {direction!r} by {amount}")
    dx, dy = _DIRECTIONS[direction]
    at, modifiers = fields.maybe_point("coordinate", scale), _modifiers(fields, tool)
    return Scroll(at=at, dx=dx * amount, dy=dy * amount, modifiers=modifiers)


def _zoom(fields: Fields, scale: Scale) -> Zoom:
    region = fields.array("region")
    if len(region) != 4:
        fields.fail("region must be [x0, y0, x1, y1]")
    corners = fields.place("region", region[:2], scale), fields.place("region", region[2:], scale)
    return Zoom(top_left=corners[0], bottom_right=corners[1])


def _keys(fields: Fields, tool: ClaudeTool) -> list[Action]:
    text, repeat = fields.text("text"), fields.maybe_integer("repeat")
    if repeat is not None and not 1 <= repeat <= _MAX_REPEAT:
        fields.fail(f"repeat must be 1 to {_MAX_REPEAT}, got {repeat}")
    try:
        combos = read_sequence(text)
    except ValueError as error:
        fields.fail(str(error))
    if len(combos) > _MAX_KEYS:
        fields.fail(f"more than {_MAX_KEYS} keys in one call")
    actions: list[Action] = []
    for keys in (_case(combo, tool) for combo in combos * (repeat or 1)):
        last = actions[-1] if actions else None
        if isinstance(last, Key) and keys == (last.key,):
            actions[-1] = Key(key=last.key, presses=last.presses + 1)
        else:
            actions.append(pressed(keys))
    return actions


def _modifiers(fields: Fields, tool: ClaudeTool) -> tuple[str, ...]:
    text = fields.maybe_text("text")
    return _combo(fields, text, tool) if text else ()


def _combo(fields: Fields, text: str, tool: ClaudeTool) -> tuple[str, ...]:
    try:
        return _case(read_combo(text), tool)
    except ValueError as error:
        fields.fail(str(error))


def _case(keys: tuple[str, ...], tool: ClaudeTool) -> tuple[str, ...]:
    # The toolset takes names in any case of letters; the older tools take xdotool's, where A is Shift and a.
    return tuple(key.lower() if tool == _TOOLSET and len(key) == 1 else key for key in keys)


def _write(action: Action, tool: ClaudeTool, scale: Scale) -> tuple[str, dict[str, object]]:
    match action:
        case Click():
            express_only(tool, action, "at", "button", "count", "modifiers")
            for name, shape in _CLICKS.items():
                if shape == (action.button, action.count):
                    return name, _at(action.at, scale) | _held(action.modifiers, tool)
            raise EncodeError(tool, action, f"there is no {action.button} click {action.count} times")
        case Move():
            express_only(tool, action, "to")
            return "mouse_move", _at(action.to, scale)
        case Drag(path=(end,)):
            express_only(tool, action, "start", "path", "modifiers")
            if tool == _TOOLSET and action.start is None:
                raise EncodeError(tool, action, "a drag needs a start point")
            start = {"start_coordinate": _pair(action.start, scale)} if action.start else {}
            return "left_click_drag", start | _at(end, scale) | _held(action.modifiers, tool)
        case MouseDown() | MouseUp():
            express_only(tool, action, "at")
            return "left_mouse_down" if isinstance(action, MouseDown) else "left_mouse_up", _at(action.at, scale)
        case Scroll():
            return "scroll", _write_scroll(action, tool, scale)
        case Type():
            express_only(tool, action, "text")
            return "type", {"text": action.text}
        case Key() | Hotkey():
            return "key", _write_key(action, tool)
        case HoldKey():
            return "hold_key", {"text": _combination(action.keys, tool), "duration": action.duration}
        case Wait():
            return "wait", {} if action.seconds is None else {"duration": action.seconds}
        case Screenshot() | CursorPosition():
            return action.kind, {}
        case Zoom() if tool != "computer_20250124":
            return "zoom", {"region": [*_pair(action.top_left, scale), *_pair(action.bottom_right, scale)]}
        case Done() | Fail() | CallUser() if tool != _TOOLSET:
            return _write_extra(action, tool)
        case _:
            raise EncodeError(tool, action, "it has no such action")


def _write_extra(action: Done | Fail | CallUser, tool: ClaudeTool) -> tuple[str, dict[str, object]]:
    express_only(tool, action, "answer", "reason", "message")
    match action:
        case Done(answer=text) | Fail(reason=text) | CallUser(message=text):
            return action.kind, {} if text is None else {"text": text}


def _write_scroll(action: Scroll, tool: ClaudeTool, scale: Scale) -> dict[str, object]:
    express_only(tool, action, "at", "dx", "dy", "modifiers")
    if action.dx and action.dy:
        raise EncodeError(tool, action, "it scrolls in one direction at a time")
    amount = action.dx or action.dy
    names = ("left", "right") if action.dx else ("up", "down")
    way = {"scroll_direction": names[amount >= 0], "scroll_amount": abs(amount)}
    return {**_at(action.at, scale), **way, **_held(action.modifiers, tool)}


def _write_key(action: Key | Hotkey, tool: ClaudeTool) -> dict[str, object]:
    express_only(tool, action, "key", "keys", "presses")
    combination = _combination((action.key,) if isinstance(action, Key) else action.keys, tool)
    presses = action.presses if isinstance(action, Key) else 1
    if presses > _MAX_REPEAT:
        raise EncodeError(tool, action, f"more than {_MAX_REPEAT} presses")
    if tool == _TOOLSET:
        return {"text": combination, "repeat": presses} if presses > 1 else {"text": combination}
    return {"text": " ".join([combination] * presses)}


def _pair(at: Point, scale: Scale) -> list[float]:
    return list(scale.from_screen(at))


def _at(at: Point | None, scale: Scale) -> dict[str, object]:
    return {"coordinate": _pair(at, scale)} if at else {}


def _held(modifiers: tuple[str, ...], tool: ClaudeTool) -> dict[str, object]:
    return {"text": _combination(modifiers, tool)} if modifiers else {}


def _combination(keys: tuple[str, ...], tool: ClaudeTool) -> str:
    if _case(keys, tool) != keys:
        raise ValueError("it does not distinguish capital letters; hold shift")
    return x_combo(keys)
