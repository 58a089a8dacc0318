"""What an agent can do: the Action union, codecs from and to other vocabularies, facts about an action.

The codecs are modules of `trueline.actions.codecs`, the facts are in `trueline.actions.facts`.
"""

from trueline.actions.coordinates import Size
from trueline.actions.decoded import Call, Decoded, DecodeError, EncodeError, SafetyCheck
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
    "ACTION", "Action", "Call", "CallUser", "Click", "Code", "CursorPosition", "DecodeError", "Decoded", "Done", "Drag",
    "EncodeError", "Fail", "HoldKey", "Hotkey", "Key", "KeyDown", "KeyUp", "MouseDown", "MouseUp", "Move", "Point",
    "SafetyCheck", "Screenshot", "Scroll", "Size", "Type", "Wait", "Zoom", "bare",
]  # fmt: skip
