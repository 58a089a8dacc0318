"""The body of a request: read within its limits, and multipart forms taken apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.message import Message

from trueline.errors import InputError, TruelineError

_DRAIN = 16 << 20
"""So many bytes beyond the limit are read and thrown away: a client that still sends would not hear the refusal."""
_LONGEST_HEAD = 2000


class BodyTooLarge(TruelineError):
    """A request has more bytes than it may."""


class BodyTooSlow(TruelineError):
    """A request does not arrive in time."""


class FormError(InputError):
    """A body is no readable form."""


async def read_bytes(chunks: AsyncIterator[bytes], limit: int, seconds: float) -> bytes:
    """Read a body.

    Raises:
        BodyTooLarge: It has more than `limit` bytes.
        BodyTooSlow: It does not arrive in time.
    """
    held = bytearray()
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                size += len(chunk)
                if size <= limit:
                    held += chunk
                elif size > limit + _DRAIN:
                    break
    except TimeoutError:
        raise BodyTooSlow(f"the request did not arrive within {seconds:g} s") from None
    if size > limit:
        raise BodyTooLarge(f"the request has more than {limit} bytes")
    return bytes(held)


def header(content_type: str) -> Message:
    """A content type, read."""
    message = Message()
    message["content-type"] = content_type
    return message


def multipart(content_type: Message, body: bytes, most: int) -> list[tuple[str, bytes]]:
    """Take a form apart. It is wholly in memory: nothing of it is written to files of the host.

    Args:
        content_type: Names the boundary.
        body: The form.
        most: How many parts it may have.

    Returns:
        Name and content of each part, in their order.

    Raises:
        FormError: It is none.
    """
    boundary = content_type.get_param("boundary")
    if not isinstance(boundary, str) or not 1 <= len(boundary) <= 70 or not boundary.isascii():
        raise FormError("the form names no usable boundary")
    _, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("ascii"), most + 1)
    if not parts or not parts.pop().startswith(b"--"):
        raise FormError("the form is not closed, or has too many parts")
    fields: list[tuple[str, bytes]] = []
    for part in parts:
        head, blank, content = part.partition(b"\r\n\r\n")
        if not blank:
            raise FormError("a part of the form has no end of its head")
        fields.append((_name_of(head), content))
    return fields


def _name_of(head: bytes) -> str:
    for line in head[:_LONGEST_HEAD].decode("utf-8", "replace").split("\r\n"):
        key, _, value = line.partition(":")
        if key.strip().lower() == "content-disposition":
            message = Message()
            message["content-disposition"] = value.strip()
            name = message.get_param("name", header="content-disposition")
            return name if isinstance(name, str) else ""
    return ""
