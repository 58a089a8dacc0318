"""The body of a request: read within its limits; forms taken apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.message import Message
from urllib.parse import parse_qsl

from trueline.desktop.serve.replies import Call, Refused

_DRAIN = 16 << 20
"""So many bytes beyond the limit are read and thrown away: a client that still sends would not hear the refusal."""
_MOST_FIELDS = 8


async def read_bytes(chunks: AsyncIterator[bytes], limit: int, seconds: float) -> bytes:
    """Read a body.

    Raises:
        Refused: It is too large, or does not arrive in time.
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
        raise Refused(408, f"the request did not arrive within {seconds:g} s", "timeout") from None
    if size > limit:
        raise Refused(413, f"the request has more than {limit} bytes", "too_large")
    return bytes(held)


def read_form(call: Call) -> dict[str, bytes]:
    """Return the fields of a form, as browsers and `requests` send them.

    Raises:
        Refused: It is no form.
    """
    header = Message()
    header["content-type"] = call.content_type
    match header.get_content_type():
        case "application/x-www-form-urlencoded":
            try:
                pairs = parse_qsl(call.body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
            except ValueError:
                raise Refused(400, "the form cannot be read") from None
            return {name: value.encode("utf-8", "surrogateescape") for name, value in pairs}
        case "multipart/form-data":
            boundary = header.get_param("boundary")
            if not isinstance(boundary, str) or not 1 <= len(boundary) <= 70 or not boundary.isascii():
                raise Refused(400, "the form names no usable boundary")
            return _parts(call.body, boundary.encode("ascii"))
        case _:
            return {}


def _parts(body: bytes, boundary: bytes) -> dict[str, bytes]:
    """Take a form apart. It is wholly in memory: nothing of it is written to files of the host."""
    mark = b"--" + boundary
    if not body.startswith(mark):
        raise Refused(400, "the form does not begin with its boundary")
    first, *parts = body.split(b"\r\n" + mark, _MOST_FIELDS)
    parts = [first[len(mark) :], *parts]
    if not parts.pop().startswith(b"--"):
        raise Refused(400, "the form is not closed, or has too many parts")
    fields: dict[str, bytes] = {}
    for part in parts:
        head, blank, content = part.partition(b"\r\n\r\n")
        if not blank:
            raise Refused(400, "a part of the form has no end of its head")
        fields.setdefault(_name_of(head), content)
    return fields


def _name_of(head: bytes) -> str:
    for line in head[:2000].decode("utf-8", "replace").split("\r\n"):
        key, _, value = line.partition(":")
        if key.strip().lower() == "content-disposition":
            header = Message()
            header["content-disposition"] = value.strip()
            name = header.get_param("name", header="content-disposition")
            return name if isinstance(name, str) else ""
    return ""
