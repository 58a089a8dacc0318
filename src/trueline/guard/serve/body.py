"""The body of a request: read within its limits, as JSON or as a multipart form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.message import Message
from typing import NamedTuple

import orjson

from trueline.guard.serve.errors import ApiError

_FORM_FIELDS = frozenset({"request", "screenshot", "tree"})
_DRAIN = 4
"""So many times the limit is read and thrown away before a refusal: a client that still sends would not hear it."""


class Body(NamedTuple):
    """What a request says, and the files it carries beside."""

    data: object
    screenshot: bytes | None = None
    tree: bytes | None = None


async def read_bytes(chunks: AsyncIterator[bytes], limit: int, seconds: float) -> bytes:
    """Read a body.

    Raises:
        ApiError: It is too large, or does not arrive in time.
    """
    held: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                size += len(chunk)
                if size <= limit:
                    held.append(chunk)
                elif size > _DRAIN * limit:
                    break
                else:
                    held.clear()
    except TimeoutError:
        raise ApiError("timeout", f"the request did not arrive within {seconds:g} s") from None
    if size > limit:
        raise ApiError("too_large", f"the request has more than {limit} bytes")
    return b"".join(held)


def parse_body(content_type: str, body: bytes) -> Body:
    """Read JSON, or a form with the JSON in `request` and the files `screenshot` and `tree`.

    Raises:
        ApiError: It is neither.
    """
    header = Message()
    header["content-type"] = content_type
    match header.get_content_type():
        case "application/json":
            return Body(_json(body))
        case "multipart/form-data":
            boundary = header.get_param("boundary")
            if not isinstance(boundary, str) or not 1 <= len(boundary) <= 70 or not boundary.isascii():
                raise ApiError("invalid_request", "the form names no usable boundary")
            fields = _form(body, boundary.encode("ascii"))
            if "request" not in fields:
                raise ApiError("invalid_request", "the form has no part with this name", field="request")
            return Body(_json(fields["request"]), fields.get("screenshot"), fields.get("tree"))
        case _:
            raise ApiError("unsupported_media_type", "send application/json or multipart/form-data")


def _json(text: bytes) -> object:
    try:
        return orjson.loads(text)
    except ValueError:
        raise ApiError("invalid_request", "the request is no JSON") from None


def _form(body: bytes, boundary: bytes) -> dict[str, bytes]:
    """Split a form. It is small and wholly in memory: screens are not written to temporary files."""
    _, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary, 8)
    if not parts or not parts.pop().startswith(b"--"):
        raise ApiError("invalid_request", "the form is not closed, or has too many parts")
    fields: dict[str, bytes] = {}
    for part in parts:
        head, blank, content = part.partition(b"\r\n\r\n")
        name = _name_of(head)
        if not blank or name not in _FORM_FIELDS or name in fields:
            raise ApiError("invalid_request", f"the parts of a form are {', '.join(sorted(_FORM_FIELDS))}, each once")
        fields[name] = content
    return fields


def _name_of(head: bytes) -> str:
    if len(head) > 1000:
        return ""
    for line in head.decode("latin-1").split("\r\n"):
        key, _, value = line.partition(":")
        if key.strip().lower() == "content-disposition":
            header = Message()
            header["content-disposition"] = value.strip()
            name = header.get_param("name", header="content-disposition")
            return name if isinstance(name, str) else ""
    return ""
