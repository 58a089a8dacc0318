"""What a codec gives back, and the two ways in which it can fail."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.actions.types import Action
from trueline.errors import TruelineError
from trueline.text import printable


@dataclass(frozen=True)
class SafetyCheck:
    """A check that the provider wants to see acknowledged before the call is answered."""

    id: str
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class Call:
    """One call of a native tool: its result is sent back under its id."""

    id: str
    actions: tuple[Action, ...]
    safety_checks: tuple[SafetyCheck, ...] = ()


@dataclass(frozen=True)
class Decoded:
    """A model's answer, understood."""

    actions: tuple[Action, ...]
    """All of them in order; empty when the answer holds no action, which the caller judges."""
    thought: str = ""
    text: str = ""
    """What the model says beside its thought and its actions."""
    calls: tuple[Call, ...] = ()
    """The same actions by tool call, where the format has calls with ids."""
    note: str = ""
    """Why a program stayed `Code`, or which keys have a name that no table knows."""


class DecodeError(TruelineError):
    """A model's answer that cannot be understood: nothing of it may run. `raw` is the answer or the call as it came."""

    def __init__(self, codec: str, reason: str, raw: str) -> None:
        super().__init__(f"{codec}: {printable(reason)}")
        self.codec = codec
        self.reason = reason
        self.raw = raw


class EncodeError(TruelineError):
    """An action that a format has no words for."""

    def __init__(self, codec: str, action: Action, reason: str) -> None:
        super().__init__(f"{codec} cannot express {action.kind}: {printable(reason)}")
        self.codec = codec
        self.action = action
        self.reason = reason


def express_only(codec: str, action: Action, *fields: str) -> None:
    """Refuse an action that says more than these fields can carry; raw text and pacing do not count."""
    for name, info in type(action).model_fields.items():
        if name not in ("kind", "raw", "pause_after", *fields) and getattr(action, name) != info.default:
            raise EncodeError(codec, action, f"it has no words for {name} {getattr(action, name)!r}")


def well_formed(text: str) -> str:
    """Return the text with lone surrogates, which no file can hold, as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
