"""What an agent can do: the Action union, codecs from and to other vocabularies, facts about an action."""

from trueline.actions.types import (
    ACTION,
    Action,
    CallUser,
    Click,
    Code,
    CursorPosition,
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
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
    bare,
)

__all__ = [
    "ACTION", "Action", "CallUser", "Click", "Code", "CursorPosition", "Done", "Drag", "Fail", "HoldKey", "Hotkey", "Key", "KeyDown",
    "KeyUp", "MouseDown", "MouseUp", "Move", "Point", "Screenshot", "Scroll", "Type", "Wait", "Zoom", "bare",
]  # fmt: skip
