"""What a codec returns, and its two errors."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.actions.types import Action
from trueline.errors import TruelineError
from trueline.text import printable


@dataclass(frozen=True)
class SafetyCheck:
    """A check that the provider requires to be acknowledged before the call is answered."""

    id: str
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class DecodedCall:
    """One call of a native tool: its result is sent back under its id."""

    id: str
    actions: tuple[Action, ...]
    safety_checks: tuple[SafetyCheck, ...] = ()


@dataclass(frozen=True)
class Decoded:
    """A decoded model answer."""

    actions: tuple[Action, ...]
    """All of them in order; empty when the answer contains no action, which the caller judges."""
    thought: str = ""
    text: str = ""
    """Text of the answer besides the thought and the actions."""
    calls: tuple[DecodedCall, ...] = ()
    """The same actions by tool call, where the format has calls with ids."""
    note: str = ""
    """Why a program stayed `Code`, or which key names are unknown."""


class DecodeError(TruelineError):
    """A model's answer that cannot be decoded: none of it may run. `raw` is the original answer or call."""

    def __init__(self, codec: str, reason: str, raw: str) -> None:
        super().__init__(f"{codec}: {printable(reason)}")
        self.codec = codec
        self.reason = reason
        self.raw = raw


class EncodeError(TruelineError):
    """An action that a format cannot express."""

    def __init__(self, codec: str, action: Action, reason: str) -> None:
        super().__init__(f"{codec} cannot express {action.kind}: {printable(reason)}")
        self.codec = codec
        self.action = action
        self.reason = reason


def express_only(codec: str, action: Action, *fields: str) -> None:
    """Refuse an action with other fields set than these; raw text and pacing do not count."""
    for name, info in type(action).model_fields.items():
        if name not in ("kind", "raw", "pause_after", *fields) and getattr(action, name) != info.default:
            raise EncodeError(codec, action, f"it cannot express {name} {getattr(action, name)!r}")


def well_formed(text: str) -> str:
    """Return the text with lone surrogates, which no file can hold, as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
