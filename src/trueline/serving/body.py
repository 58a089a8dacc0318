"""Read the body of a request within limits, and parse multipart forms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from email.message import Message

from trueline.errors import InputError, TruelineError

_DRAIN = 16 << 20
"""Bytes beyond the limit that are read and discarded: a client that is still sending would not read the refusal."""
_LONGEST_HEAD = 2000
_FREE = 64 << 10


class BodyTooLarge(TruelineError):
    """The body is larger than allowed."""


class BodyTooSlow(TruelineError):
    """The body did not arrive in time."""


class NoMemoryForBody(TruelineError):
    """The bodies of other requests use all the memory for bodies."""


class FormError(InputError):
    """The body is not a valid form."""


class BodyMemory:
    """The memory that all bodies of a server share: large ones must not add up to more than the machine has."""

    def __init__(self, most: int) -> None:
        """Take the limit in bytes. The first 64 KiB of each body are not counted: small requests always pass."""
        self._left = most

    @contextmanager
    def share(self) -> Generator[BodyShare]:
        """Yield the share of one request; its memory is free again when the block ends."""
        share = BodyShare(self)
        try:
            yield share
        finally:
            self._left += share.taken

    def take(self, size: int) -> None:
        """Take a part of what is left.

        Raises:
            NoMemoryForBody: Too little is left.
        """
        if size > self._left:
            raise NoMemoryForBody("the server is busy with the bodies of other requests; send the request again")
        self._left -= size


class BodyShare:
    """What one request has taken of the memory for bodies."""

    def __init__(self, memory: BodyMemory) -> None:
        """Take nothing yet."""
        self._memory = memory
        self.taken = 0

    def grow_to(self, size: int) -> None:
        """Take what a body of this size needs.

        Raises:
            NoMemoryForBody: Too little is left.
        """
        more = max(0, size - _FREE) - self.taken
        if more > 0:
            self._memory.take(more)
            self.taken += more


async def read_bytes(chunks: AsyncIterator[bytes], limit: int, seconds: float, share: BodyShare) -> bytes:
    """Read a body.

    Raises:
        BodyTooLarge: It has more than `limit` bytes.
        NoMemoryForBody: The bodies of other requests leave too little memory for it.
        BodyTooSlow: It does not arrive in time.
    """
    held = bytearray()
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                size += len(chunk)
                if size <= limit:
                    share.grow_to(size)
                    held += chunk
                elif size > limit + _DRAIN:
                    break
    except TimeoutError:
        raise BodyTooSlow(f"the request did not arrive within {seconds:g} s") from None
    if size > limit:
        raise BodyTooLarge(f"the request has more than {limit} bytes")
    return bytes(held)


def header(content_type: str) -> Message:
    """Parse a content type."""
    message = Message()
    message["content-type"] = content_type
    return message


def multipart(content_type: Message, body: bytes, most: int) -> list[tuple[str, bytes]]:
    """Parse a form, in memory: nothing of it is written to files.

    Args:
        content_type: Names the boundary.
        body: The form.
        most: How many parts it may have.

    Returns:
        Name and content of each part, in their order.

    Raises:
        FormError: It is malformed.
    """
    boundary = content_type.get_param("boundary")
    if not isinstance(boundary, str) or not 1 <= len(boundary) <= 70 or not boundary.isascii():
        raise FormError("the form has no valid boundary")
    _, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("ascii"), most + 1)
    if not parts or not parts.pop().startswith(b"--"):
        raise FormError("the form is not closed, or has too many parts")
    fields: list[tuple[str, bytes]] = []
    for part in parts:
        head, blank, content = part.partition(b"\r\n\r\n")
        if not blank:
            raise FormError("a part of the form has no end of headers")
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
