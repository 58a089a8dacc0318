"""What an endpoint gets and what it answers, free of any web framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    DesktopLost,
    NotSupported,
    PathRefused,
)
from trueline.errors import InputError, TruelineError
from trueline.serving.body import BodyTooLarge, BodyTooSlow, NoMemoryForBody
from trueline.strict_json import parse_strict
from trueline.text import printable
from trueline.validation import describe_validation_error

JSON, TEXT, BYTES = "application/json", "text/plain; charset=utf-8", "application/octet-stream"


@dataclass(frozen=True)
class ReceivedRequest:
    """One request, wholly read."""

    content_type: str
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One answer."""

    content: bytes
    status: int = 200
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Refused(TruelineError):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str, kind: str = "refused", headers: Mapping[str, str] | None = None):
        super().__init__(printable(message, 500))
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})

    def reply(self) -> Reply:
        """The answer: OSWorld's clients read `message` here and `error` there, ours reads `type`."""
        text = str(self)
        document = {"status": "error", "message": text, "error": text, "type": self.kind}
        return as_json(document, self.status, self.headers)


class Message(BaseModel):
    """The JSON of a request; fields that OSWorld's server ignores are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


M = TypeVar("M", bound=Message)


def read(call: ReceivedRequest, kind: type[M], *, strict: bool = False) -> M:
    """Read the JSON of a request; strictly, a value of another type is not taken for one of this.

    Raises:
        Refused: It is no JSON, or not of this shape.
    """
    body = call.body or b"{}"
    try:
        # Parsed twice: the first parser refuses what the second would settle in its own way.
        parse_strict(body.decode())
    except ValueError as error:
        raise Refused(400, f"the request is not JSON: {error}") from None
    try:
        return kind.model_validate_json(body, strict=strict)
    except ValidationError as error:
        raise Refused(400, describe_validation_error(error)) from None


def as_json(document: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """An answer in JSON."""
    return Reply(orjson.dumps(document), status, JSON, headers or {})


def as_text(text: str, status: int = 200) -> Reply:
    """An answer in plain text; OSWorld's says text/html, in which a path could be a script."""
    return Reply(text.encode("utf-8", "replace"), status, TEXT)


def as_refused(error: Exception) -> Refused:
    """Turn what went wrong into an answer. An unexpected error tells only its type."""
    match error:
        case Refused():
            return error
        case BodyTooLarge():
            return Refused(413, str(error), "too_large")
        case BodyTooSlow():
            return Refused(408, str(error), "timeout")
        case NoMemoryForBody():
            return Refused(503, str(error), "busy", {"retry-after": "1"})
        case ActionTimeout():
            return Refused(500, str(error), "timeout")
        case TimeoutError():
            return Refused(503, "the desktop was not ready in time", "timeout")
        case ActionInterrupted():
            return Refused(500, str(error), "interrupted")
        case DesktopLost():
            return Refused(503, f"{error} (POST /trueline/reset)", "lost")
        case PathRefused():
            return Refused(400, str(error), "path")
        case NotSupported():
            return Refused(501, str(error), "not_supported")
        case InputError():
            return Refused(400, str(error))
        case TruelineError():
            return Refused(500, str(error))
        case _:
            return Refused(500, f"the server failed ({type(error).__name__})", "internal")
