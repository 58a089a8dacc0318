"""D-Bus messages as bytes: calls written, answers read. Nothing here touches a socket.

A tree is thousands of small messages, so headers are put together from pieces that are kept.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from trueline.desktop.accessibility.marshal import Broken, readers, writers

Body = tuple[object, ...]

METHOD_CALL, METHOD_RETURN, ERROR = 1, 2, 3
MOST_BYTES = 128 << 20
"""What one message may weigh; the protocol's own limit."""
_PATH, _INTERFACE, _MEMBER, _REPLY_SERIAL, _DESTINATION, _SIGNATURE = 1, 2, 3, 5, 6, 8
_HEAD = struct.Struct("<cBBBIII")
_NUMBER = struct.Struct("<I")


class Answered(NamedTuple):
    """A message that came in: what it answers, whether it is a refusal, and its values."""

    kind: int
    serial: int
    """Of the call it answers; 0 when it answers none."""
    body: Body


def _padded(size: int, to: int) -> int:
    return (size + to - 1) & -to


def encode_call(serial: int, name: str, path: str, interface: str, method: str, signature: str, body: Body) -> bytes:
    """A method call as bytes."""
    fixed, content = _constant_part(name, interface, method, signature), _content(signature, body)
    word = path.encode()
    fields = len(fixed) + 9 + len(word)
    head = _HEAD.pack(b"l", METHOD_CALL, 0, 1, len(content), serial, fields)
    place = b"\1\1o\0" + _NUMBER.pack(len(word)) + word + b"\0"
    return b"".join((head, fixed, place, bytes(-fields % 8), content))


@lru_cache(maxsize=4096)
def _constant_part(name: str, interface: str, method: str, signature: str) -> bytes:
    """The header fields that are the same for many elements, padded so that the path can follow."""
    out = bytearray()
    for code, value in ((_DESTINATION, name), (_INTERFACE, interface), (_MEMBER, method)):
        word = value.encode()
        out += bytes((code, 1)) + b"s\0" + _NUMBER.pack(len(word)) + word + b"\0"
        out += bytes(-len(out) % 8)
    if signature:
        out += bytes((_SIGNATURE, 1)) + b"g\0" + bytes((len(signature),)) + signature.encode() + b"\0"
        out += bytes(-len(out) % 8)
    return bytes(out)


def _content(signature: str, body: Body) -> bytes:
    out = bytearray()
    for write, value in zip(writers(signature), body, strict=True):
        write(out, value)
    return bytes(out)


def next_message(data: bytearray, start: int) -> tuple[Answered | None, int]:
    """The message that begins at `start` and where the next one begins; the same place when it is not all there.

    Raises:
        Broken: These bytes are no message.
    """
    if len(data) - start < 16:
        return None, start
    order, kind, _, version, content, _, fields = struct.unpack_from("<cBBBIII", data, start)
    if order == b"B":
        content, fields = struct.unpack_from(">I", data, start + 4)[0], struct.unpack_from(">I", data, start + 12)[0]
    if order not in (b"l", b"B") or version != 1 or content > MOST_BYTES or fields > MOST_BYTES:
        raise Broken("not a D-Bus message")
    begin = _padded(16 + fields, 8)
    if len(data) - start < begin + content:
        return None, start
    message = bytes(data[start : start + begin + content])
    end = start + begin + content
    if order == b"B" or kind not in (METHOD_RETURN, ERROR):
        return Answered(kind, 0, ()), end  # a signal, or the other byte order, which nothing on this machine has
    try:
        serial, signature = _fields(message, 16 + fields)
        return Answered(kind, serial, _values(message[begin:], signature)), end
    except (struct.error, IndexError, ValueError, TypeError, RecursionError) as error:
        raise Broken(f"a message that cannot be read: {error}") from error


def _fields(message: bytes, end: int) -> tuple[int, str]:
    """The serial that is answered and the signature, out of the header's fields."""
    serial, signature, at = 0, "", 16
    while at < end:
        code, size = message[at], message[at + 1]
        kind = message[at + 2 : at + 2 + size]
        at += 3 + size
        if kind == b"u":
            at = _padded(at, 4)
            if code == _REPLY_SERIAL:
                (serial,) = _NUMBER.unpack_from(message, at)
            at += 4
        elif kind == b"g":
            if code == _SIGNATURE:
                signature = message[at + 1 : at + 1 + message[at]].decode()
            at += 2 + message[at]
        else:  # a string or a path; descriptors are never asked for
            at = _padded(at, 4)
            at += 5 + _NUMBER.unpack_from(message, at)[0]
        at = _padded(at, 8)
    return serial, signature


def _values(content: bytes, signature: str) -> Body:
    values: list[object] = []
    at = 0
    for read in readers(signature):
        value, at = read(content, at)
        values.append(value)
    return tuple(values)
