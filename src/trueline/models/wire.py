"""What the wire formats share: calls, decoded responses, and the classification of errors."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, NamedTuple, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trueline.models.errors import (
    AuthError,
    MalformedResponseError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerError,
    TooLongError,
)
from trueline.models.keys import Redactor
from trueline.models.types import Answer, Json, Request
from trueline.validation import describe_validation_error

LONGEST_MESSAGE = 300
FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "bio_policy",
        "misalignment_policy_violation",
        "image_content_policy_violation",
    }
)
"""Error codes by which OpenAI and Azure say that a filter, not a fault, stopped the request."""

_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
_TOO_LONG = re.compile(
    r"context (?:length|window|size|limit)"
    r"|(?:prompt|inputs?|messages|request)\b.{0,60}?\btoo (?:long|large)"
    r"|max\w* (?:prompt|model|input) length|max_model_len|range of input length"
    r"|(?:exceed|longer than|too many|must have less than).{0,80}?\btokens?\b"
    r"|\btokens?\b.{0,80}?(?:exceed|must be <=)"
    r"|reduce the length",
    re.IGNORECASE,
)
"""How Anthropic, Bedrock and the servers that speak OpenAI's protocol say it: few of them have a code for it."""
_TOO_LONG_STATUS = frozenset({400, 413, 422})
_READ = 2_000
"""Characters of an error's words that are searched."""


class Wire(BaseModel):
    """A piece of a provider's response: what we need is checked, what we do not know is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


W = TypeVar("W", bound=Wire)
Tokens = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class HttpCall:
    """One HTTP request, without address and keys."""

    path: str
    body: Json = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def content(self) -> bytes:
        """The body as bytes, encoded once for all attempts. Half characters, as screens may hold, become `?`."""
        try:
            return orjson.dumps(self.body)
        except TypeError:
            return json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


@dataclass(frozen=True)
class DecodedResponse:
    """An answer as read from the wire, and what only its price needs."""

    answer: Answer
    cache_write_tokens: int = 0
    reported_cost: float | None = None
    """US dollars, where the provider says it itself."""


class Codec(Protocol):
    """One wire format: pure, no I/O."""

    @property
    def takes_stop(self) -> bool:
        """Whether stop sequences can be sent."""
        ...

    def encode(self, request: Request) -> HttpCall:
        """Write a request, or refuse what the format cannot say with `UnsupportedError`."""
        ...

    def decode(self, data: JsonValue, request: Request) -> DecodedResponse:
        """Read a response; `MalformedResponseError` if it holds no answer."""
        ...


class Client(Protocol):
    """A provider's official client. Its own retries are off."""

    async def post(self, call: HttpCall) -> bytes:
        """Send a call once; return the body of a response of status 200 or raise a `ModelError`."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class FilteredError(ModelError):
    """The provider rejected the request by its content filter; it becomes an answer that says so."""


def read_json(body: bytes, redactor: Redactor) -> JsonValue:
    """Parse a response body, with the keys that a server may have echoed taken out."""
    try:
        # Dumping again undoes escapes, so that no spelling of a key survives.
        parsed: JsonValue = orjson.loads(redactor.clean_bytes(orjson.dumps(orjson.loads(body))))
    except ValueError:
        pass
    else:
        return parsed
    # Raised out here because the parser's error holds the body.
    raise MalformedResponseError(f"the response is invalid JSON ({len(body)} bytes)")


def parse_response(kind: type[W], data: JsonValue) -> W:
    """Validate a response."""
    try:
        return kind.model_validate(data)
    except ValidationError as e:
        raise MalformedResponseError(f"the response has the wrong shape: {describe_validation_error(e)}") from None


def status_error(status: int, headers: Mapping[str, str], body: bytes, redactor: Redactor) -> ModelError:
    """Convert an HTTP error to a `ModelError`."""
    try:
        data: JsonValue = read_json(body, redactor)
    except MalformedResponseError:
        data = body.decode("utf-8", "replace")
    said = read_error(data)
    words = redactor.clean(said.words)
    return error_for(status, said._replace(words=words), retry_after(headers))


class ErrorBody(NamedTuple):
    """The body of an error response."""

    words: str
    code: str = ""
    param: str = ""


def error_for(status: int, said: ErrorBody, wait_s: float | None = None) -> ModelError:
    """Make the error for a status and the body that came with it: its type decides about retries."""
    words, code = said.words, said.code
    message = f"HTTP {status}: {one_line(words)}" if words else f"HTTP {status}"
    if code in FILTER_CODES:
        return FilteredError(one_line(words) or code, status=status, code=code)
    if code in _TOO_LONG_CODES or (status in _TOO_LONG_STATUS and _TOO_LONG.search(words[:_READ])):
        return TooLongError(message, status=status, code=code)
    if status in (401, 403):
        return AuthError(f"the provider does not accept the key: {message}", status=status, code=code)
    if code == "insufficient_quota":
        return RejectedError(f"the account has no quota left: {message}", status=status, code=code)
    if status in (429, 529):
        return RateLimitedError(message, status=status, code=code, retry_after_s=wait_s)
    if status >= 500 or status in (408, 409, 425):
        return ServerError(message, status=status, code=code, retry_after_s=wait_s)
    return RejectedError(message, status=status, code=code, param=said.param, words=words[:_READ])


def one_line(text: str) -> str:
    """Return the text as one short line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait: OpenAI's milliseconds, plain seconds, or a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError, TypeError):
        return None


def read_error(data: JsonValue) -> ErrorBody:
    """Read the body of an error: of OpenAI, Anthropic, Bedrock, vLLM, FastAPI, and a gateway's own around another's."""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return ErrorBody(str(error or ""))
    inner = error.get("innererror")
    codes = (error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    code = next((c for c in codes if c in FILTER_CODES), None) or next((c for c in codes if isinstance(c, str)), "")
    words, param = str(error.get("message") or ""), error.get("param")
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(raw := metadata.get("raw"), str):
        words = f"{words}: {raw}"
    if not words and (fault := _first_fault(error.get("detail"))):
        words, param = fault.words, fault.param or param
    return ErrorBody(
        words, str(code), param if isinstance(param, str) and param.lower() not in ("none", "null") else ""
    )


def _first_fault(detail: JsonValue) -> ErrorBody | None:
    """Read FastAPI's `detail`: some words, or a list of faults with their places."""
    if isinstance(detail, str):
        return ErrorBody(detail)
    first = detail[0] if isinstance(detail, list) and detail else None
    if not isinstance(first, dict):
        return None
    place = first.get("loc")
    where = ".".join(str(part) for part in place) if isinstance(place, list) else ""
    return ErrorBody(f"{where}: {first.get('msg') or 'is wrong'}", param=where)
