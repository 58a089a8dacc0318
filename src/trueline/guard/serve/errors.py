"""Errors as the service answers them: typed JSON, never a traceback."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from trueline.actions import DecodeError
from trueline.errors import InputError, TruelineError
from trueline.guard.session import SessionFullError, UnknownCheckError
from trueline.records.tree import TreeError
from trueline.serving.body import BodyTooLarge, BodyTooSlow, NoMemoryForBody
from trueline.text import printable
from trueline.validation import field_problems

TYPES = {
    "unauthorized": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "timeout": 408,
    "conflict": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "invalid_request": 422,
    "rate_limited": 429,
    "too_many_sessions": 429,
    "internal": 500,
    "busy": 503,
}
"""The types of errors and their HTTP status."""


class ApiError(TruelineError):
    """A request that is answered with an error."""

    def __init__(
        self, type: str, message: str, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.type = type
        self.field = field
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return TYPES[self.type]

    def document(self) -> dict[str, object]:
        """The body of the answer."""
        return {"error": {"type": self.type, "message": printable(str(self), limit=500), "field": self.field}}


def as_api_error(error: Exception) -> ApiError:
    """Turn what went wrong into an answer. An unexpected error tells only its type."""
    match error:
        case ApiError():
            return error
        case ValidationError():
            first = field_problems(error)[0]
            return ApiError("invalid_request", first.message, field=printable(first.field, 100) or None)
        case BodyTooLarge():
            return ApiError("too_large", str(error))
        case BodyTooSlow():
            return ApiError("timeout", str(error))
        case NoMemoryForBody():
            return ApiError("busy", str(error), headers={"retry-after": "1"})
        case UnknownCheckError():
            return ApiError("not_found", str(error), field="check")
        case SessionFullError():
            return ApiError("conflict", str(error), field="session")
        case DecodeError():
            return ApiError("invalid_request", str(error), field="action")
        case TreeError():
            return ApiError("invalid_request", str(error), field="tree")
        case InputError():
            field, colon, _ = str(error).partition(":")
            known = colon and field in ("action", "screenshot", "tree")
            return ApiError("invalid_request", str(error), field=field if known else None)
        case _:
            return ApiError("internal", f"the service failed ({type(error).__name__}); nothing was let through")
