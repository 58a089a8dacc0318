"""Everything a computer-use agent can do, as one typed union.

Coordinates are pixels of the real screen, origin top left. `None` for a point means "where the pointer is".
Key names are pyautogui's (`ctrl`, `enter`, `pagedown`, `winleft`, single characters as themselves).
`raw` keeps what the model wrote for this action, `pause_after` its pacing; neither takes part in what the action does:
compare actions with `bare`.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Point(NamedTuple):
    """A pixel of the screen."""

    x: int
    y: int


Button = Literal["left", "right", "middle", "back", "forward"]
ScrollUnit = Literal["clicks", "pixels"]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ActionBase(BaseModel):
    """What all actions share."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")

    raw: str = ""
    """The model's original text for this action."""
    pause_after: Seconds = 0.0
    """Seconds to pause before the next action, as pyautogui does between calls. Executors keep it."""


class Click(ActionBase):
    """Press and release a mouse button one to three times."""

    kind: Literal["click"] = "click"
    at: Point | None = None
    button: Button = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1
    modifiers: tuple[str, ...] = ()
    """Keys held during the click."""
    interval: Seconds = 0.0
    """Seconds to pause after each click."""


class Move(ActionBase):
    """Move the pointer."""

    kind: Literal["move"] = "move"
    to: Point
    duration: Seconds = 0.0


class Drag(ActionBase):
    """Press a button at `start`, follow `path`, release at its last point."""

    kind: Literal["drag"] = "drag"
    start: Point | None = None
    path: Annotated[tuple[Point, ...], Field(min_length=1)]
    button: Button = "left"
    modifiers: tuple[str, ...] = ()
    duration: Seconds = 0.0


class MouseDown(ActionBase):
    """Press a mouse button and keep it down."""

    kind: Literal["mouse_down"] = "mouse_down"
    at: Point | None = None
    button: Button = "left"


class MouseUp(ActionBase):
    """Release a mouse button."""

    kind: Literal["mouse_up"] = "mouse_up"
    at: Point | None = None
    button: Button = "left"


class Scroll(ActionBase):
    """Turn the wheel: positive `dx` goes right, positive `dy` goes down the page."""

    kind: Literal["scroll"] = "scroll"
    at: Point | None = None
    dx: int = 0
    dy: int = 0
    unit: ScrollUnit = "clicks"
    modifiers: tuple[str, ...] = ()


class Type(ActionBase):
    """Type text, any Unicode, newlines as Enter; or paste it, when `paste` names the keys."""

    kind: Literal["type"] = "type"
    text: str
    interval: Seconds = 0.0
    """Seconds to pause after each character."""
    paste: tuple[str, ...] = ()
    """Keys that paste the text, pressed together; empty if it is typed key by key. The text is put on the clipboard
    first and stays there."""


class Key(ActionBase):
    """Press and release one key, maybe several times."""

    kind: Literal["key"] = "key"
    key: str
    presses: Annotated[int, Field(ge=1)] = 1
    interval: Seconds = 0.0
    """Seconds to pause after each press."""


class Hotkey(ActionBase):
    """Press keys in order, release them in reverse order."""

    kind: Literal["hotkey"] = "hotkey"
    keys: Annotated[tuple[str, ...], Field(min_length=1)]


class KeyDown(ActionBase):
    """Press a key and keep it down."""

    kind: Literal["key_down"] = "key_down"
    key: str


class KeyUp(ActionBase):
    """Release a key."""

    kind: Literal["key_up"] = "key_up"
    key: str


class HoldKey(ActionBase):
    """Hold keys down for a while, then release them."""

    kind: Literal["hold_key"] = "hold_key"
    keys: Annotated[tuple[str, ...], Field(min_length=1)]
    duration: Seconds


class Wait(ActionBase):
    """Do nothing for a while."""

    kind: Literal["wait"] = "wait"
    seconds: Seconds | None = None
    """`None` leaves it to the environment's own pause."""


class Screenshot(ActionBase):
    """Ask for a fresh picture of the screen."""

    kind: Literal["screenshot"] = "screenshot"


class Zoom(ActionBase):
    """Ask for a part of the screen at full resolution."""

    kind: Literal["zoom"] = "zoom"
    top_left: Point
    bottom_right: Point


class CursorPosition(ActionBase):
    """Ask where the pointer is."""

    kind: Literal["cursor_position"] = "cursor_position"


class Done(ActionBase):
    """The agent says that the task is done."""

    kind: Literal["done"] = "done"
    answer: str | None = None


class Fail(ActionBase):
    """The agent says that the task cannot be done, or that it will not do it."""

    kind: Literal["fail"] = "fail"
    reason: str | None = None
    refused: bool = False
    """The agent marks this as a refusal, not as an inability."""


class CallUser(ActionBase):
    """The agent hands over to the user."""

    kind: Literal["call_user"] = "call_user"
    message: str | None = None


class Code(ActionBase):
    """A program that is not a straight line of known calls. It runs only inside the sandbox."""

    kind: Literal["code"] = "code"
    source: str
    language: Literal["python", "bash"] = "python"


Action = Annotated[
    Click | Move | Drag | MouseDown | MouseUp | Scroll | Type | Key | Hotkey | KeyDown | KeyUp | HoldKey
    | Wait | Screenshot | Zoom | CursorPosition | Done | Fail | CallUser | Code,
    Field(discriminator="kind"),
]  # fmt: skip

ACTION: TypeAdapter[Action] = TypeAdapter(Action)
"""Validates and dumps any action: `ACTION.validate_python({"kind": "click", "at": [3, 4]})`."""

A = TypeVar("A", bound=ActionBase)


def bare(action: A) -> A:
    """Return the action without its raw text and pacing, for comparing what actions do."""
    return action.model_copy(update={"raw": "", "pause_after": 0.0})
