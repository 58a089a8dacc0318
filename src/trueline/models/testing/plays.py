"""What the server of the tests does with one request: it answers, or it fails in one of the known ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import orjson
from pydantic import JsonValue

from trueline.models.types import Stop, ToolCall

Protocol = Literal["chat", "responses", "messages"]


@dataclass(frozen=True)
class Say:
    """Answer, in the form of whichever protocol was asked."""

    text: str = "ok"
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "stop"
    refusal: str = ""
    reasoning: str = ""
    input_tokens: int = 11
    cached_tokens: int = 0
    output_tokens: int = 5
    reasoning_tokens: int = 0
    cost: float | None = None
    """As OpenRouter reports it."""
    model: str = ""
    """What the server calls itself; empty repeats what was asked for."""
    delay_s: float = 0.0


@dataclass(frozen=True)
class Status:
    """Fail with an HTTP status and an error body."""

    code: int
    message: str = "the server says no"
    error_code: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Body:
    """Answer with these bytes, whatever they are."""

    data: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def from_json(value: JsonValue) -> Body:
        """Answer with any JSON."""
        return Body(orjson.dumps(value))


@dataclass(frozen=True)
class Hang:
    """Never answer."""


@dataclass(frozen=True)
class Reset:
    """Begin to answer, then break the connection inside the body."""


Play = Say | Status | Body | Hang | Reset
