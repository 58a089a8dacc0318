"""OSWorld's `computer_13`: thirteen input actions as JSON objects, and WAIT, FAIL, DONE.

Both shapes are read: `{"action_type": …, "parameters": {…}}` and the flat `{"action_type": …, "x": …}`.
"""

from __future__ import annotations

import orjson

from trueline.actions.codecs.blocks import split_blocks
from trueline.actions.codecs.fields import Fields, is_array
from trueline.actions.coordinates import Scale, Size
from trueline.actions.decoded import Decoded, DecodeError, EncodeError, express_only, well_formed
from trueline.actions.keys import canonical, pyautogui_name
from trueline.actions.types import (
    Action,
    Button,
    Click,
    Done,
    Drag,
    Fail,
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

CODEC = "computer_13"
SPECIAL_CODES = ("WAIT", "FAIL", "DONE")
_DRAG_SECONDS = 1.0
_BUTTONS: dict[str, Button] = {"left": "left", "right": "right", "middle": "middle"}
_ANY_SCREEN = Scale(Size(32768, 32768), (32768, 32768))


def decode(action: object) -> Action:
    """Read one action: an object, or a bare string WAIT, FAIL or DONE.

    Raises:
        DecodeError: It is not one of the vocabulary, or a parameter is missing, unknown or of a wrong type.
    """
    if isinstance(action, str) and action.strip() not in SPECIAL_CODES:
        raise DecodeError(CODEC, "a bare word must be WAIT, FAIL or DONE", action)
    fields = Fields(CODEC, {"action_type": action.strip()} if isinstance(action, str) else action)
    kind = fields.text("action_type")
    fields.what = kind
    if fields.has("parameters"):
        parameters = Fields(CODEC, fields.take("parameters"), fields.raw)
        parameters.what = kind
        fields.end()
        fields = parameters
    found = _read(kind, fields).model_copy(update={"raw": fields.raw})
    fields.end()
    return found


def decode_answer(answer: str) -> Decoded:
    """Read an answer of OSWorld's prompt agent: a JSON object, or a list of them, in each code block."""
    answer = well_formed(answer)
    if answer.strip() in SPECIAL_CODES:
        return Decoded((decode(answer),))
    blocks, outside = split_blocks(answer, keep=SPECIAL_CODES)
    actions: list[Action] = []
    for block in blocks:
        body = block.body.strip()
        if body in SPECIAL_CODES:
            actions.append(decode(body))
            continue
        try:
            data: object = orjson.loads(body)
            actions += [decode(item) for item in (data if is_array(data) else [data])]
        except orjson.JSONDecodeError as error:
            raise DecodeError(CODEC, f"a code block is not JSON: {error}", answer) from None
        except DecodeError as error:
            raise DecodeError(CODEC, error.reason, answer) from None
    lines = outside.splitlines()
    actions += [decode(line) for line in lines if line.strip() in SPECIAL_CODES]
    return Decoded(tuple(actions), thought="\n".join(s for s in lines if s.strip() not in SPECIAL_CODES).strip())


def encode(action: Action) -> dict[str, object]:
    """Write one action as OSWorld takes it; raises EncodeError for what the thirteen cannot say."""
    try:
        kind, parameters = _write(action)
    except ValueError as error:
        raise EncodeError(CODEC, action, str(error)) from None
    return {"action_type": kind, "parameters": parameters} if parameters else {"action_type": kind}


def _read(kind: str, fields: Fields) -> Action:
    match kind:
        case "MOVE_TO":
            return Move(to=_point(fields) or fields.fail("MOVE_TO needs x and y"))
        case "CLICK":
            count = fields.maybe_integer("num_clicks")
            if count is not None and not 1 <= count <= 3:
                fields.fail(f"num_clicks must be 1 to 3, got {count}")
            return Click(button=_button(fields), at=_point(fields), count=count or 1)
        case "MOUSE_DOWN":
            return MouseDown(button=_button(fields))
        case "MOUSE_UP":
            return MouseUp(button=_button(fields))
        case "RIGHT_CLICK":
            return Click(at=_point(fields), button="right")
        case "DOUBLE_CLICK":
            return Click(at=_point(fields), count=2)
        case "DRAG_TO":
            return Drag(path=(_point(fields) or fields.fail("DRAG_TO needs x and y"),), duration=_DRAG_SECONDS)
        case "SCROLL":
            return Scroll(dx=fields.integer("dx"), dy=-fields.integer("dy"))  # OSWorld: up is positive
        case "TYPING":
            return Type(text=fields.text("text"))
        case "PRESS":
            return Key(key=_key(fields))
        case "KEY_DOWN":
            return KeyDown(key=_key(fields))
        case "KEY_UP":
            return KeyUp(key=_key(fields))
        case "HOTKEY":
            return Hotkey(keys=fields.keys("keys", canonical))
        case "WAIT":
            return Wait()
        case "FAIL":
            return Fail()
        case "DONE":
            return Done()
        case _:
            return fields.fail(f"unknown action_type {kind!r}")


def _point(fields: Fields) -> Point | None:
    if not fields.has("x") and not fields.has("y"):
        return None
    # Fractions of a pixel are cut off, as pyautogui does.
    x, y = int(fields.number("x")), int(fields.number("y"))
    return fields.place("x, y", [x, y], _ANY_SCREEN)


def _button(fields: Fields) -> Button:
    name = fields.maybe_text("button")
    return "left" if name is None else _BUTTONS.get(name) or fields.fail(f"unknown button {name!r}")


def _key(fields: Fields) -> str:
    return canonical(fields.text("key") or fields.fail("key is empty"))


def _write(action: Action) -> tuple[str, dict[str, object]]:
    match action:
        case Move():
            express_only(CODEC, action, "to")
            return "MOVE_TO", _xy(action.to)
        case Click():
            express_only(CODEC, action, "at", "button", "count")
            if action.button not in _BUTTONS:
                raise EncodeError(CODEC, action, f"there is no {action.button} button")
            clicks = {"num_clicks": action.count} if action.count > 1 else {}
            return "CLICK", {"button": action.button, **_xy(action.at), **clicks}
        case MouseDown() | MouseUp():
            express_only(CODEC, action, "button")
            if action.button not in _BUTTONS:
                raise EncodeError(CODEC, action, f"there is no {action.button} button")
            return "MOUSE_DOWN" if isinstance(action, MouseDown) else "MOUSE_UP", {"button": action.button}
        case Drag(path=(end,), duration=duration) if duration == _DRAG_SECONDS:
            express_only(CODEC, action, "path", "duration")
            return "DRAG_TO", _xy(end)
        case Drag():
            raise EncodeError(CODEC, action, "DRAG_TO goes from the pointer to one point and takes one second")
        case Scroll():
            express_only(CODEC, action, "dx", "dy")
            return "SCROLL", {"dx": action.dx, "dy": -action.dy}
        case Type():
            express_only(CODEC, action, "text")
            return "TYPING", {"text": action.text}
        case Key():
            express_only(CODEC, action, "key")
            return "PRESS", {"key": pyautogui_name(action.key)}
        case KeyDown():
            return "KEY_DOWN", {"key": pyautogui_name(action.key)}
        case KeyUp():
            return "KEY_UP", {"key": pyautogui_name(action.key)}
        case Hotkey():
            return "HOTKEY", {"keys": [pyautogui_name(key) for key in action.keys]}
        case Wait() | Fail() | Done():
            express_only(CODEC, action)
            return action.kind.upper(), {}
        case _:
            raise EncodeError(CODEC, action, "it is not one of the thirteen actions")


def _xy(at: Point | None) -> dict[str, object]:
    return {"x": at.x, "y": at.y} if at else {}
