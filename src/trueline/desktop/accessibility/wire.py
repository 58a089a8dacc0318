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
_HEAD = struct.Struct("<cBBBI")
_WHOLE_HEAD = struct.Struct("<cBBBIII")
_NUMBER = struct.Struct("<I")
_SERIAL_FIRST = b"\5\1u\0"
"""How a header begins whose first field is the serial that it answers: all that are written by libdbus do."""
_MOST_KEPT = 20_000
_LARGEST_KEPT = 512
_signatures: dict[bytes, str] = {}
"""Signatures by the rest of the header: one sender's answers differ in nothing else."""
_contents: dict[tuple[str, bytes], Body] = {}
"""Values by their bytes: thousands of elements have the same states, interfaces and actions."""


class Answered(NamedTuple):
    """A message that came in: what it answers, whether it is a refusal, and its values."""

    kind: int
    serial: int
    """Serial of the call that it answers; 0 if it answers none."""
    body: Body


def _padded(size: int, to: int) -> int:
    return (size + to - 1) & -to


def encode_call(serial: int, name: str, path: str, interface: str, method: str, signature: str, body: Body) -> bytes:
    """A method call as bytes."""
    word = path.encode()
    try:
        begin, middle, end = _kept_frame(name, interface, method, signature, body, len(word))
    except TypeError:  # a list in the body, which cannot be looked up
        begin, middle, end = _frame(name, interface, method, signature, body, len(word))
    return b"".join((begin, _NUMBER.pack(serial), middle, word, end))


def _frame(
    name: str, interface: str, method: str, signature: str, body: Body, path_length: int
) -> tuple[bytes, bytes, bytes]:
    """All of a call but its serial and its path, which are what differs when many elements are asked the same."""
    fixed = _constant_part(name, interface, method, signature)
    content = _content(signature, body)
    fields = len(fixed) + 9 + path_length
    begin = _HEAD.pack(b"l", METHOD_CALL, 0, 1, len(content))
    middle = _NUMBER.pack(fields) + fixed + b"\1\1o\0" + _NUMBER.pack(path_length)
    return begin, middle, bytes(1 + -fields % 8) + content


_kept_frame = lru_cache(maxsize=4096)(_frame)


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


def next_message(data: bytes | bytearray, start: int) -> tuple[Answered | None, int]:
    """The message that begins at `start` and where the next one begins; the same place when it is not all there.

    Raises:
        Broken: These bytes are not a message.
    """
    if len(data) - start < 16:
        return None, start
    order, kind, _, version, content, _, fields = _WHOLE_HEAD.unpack_from(data, start)
    if order != b"l":
        content, fields = _number_of(data, start + 4, order), _number_of(data, start + 12, order)
    if version != 1 or content > MOST_BYTES or fields > MOST_BYTES:
        raise Broken("not a D-Bus message")
    begin = start + (16 + fields + 7 & -8)
    end = begin + content
    if len(data) < end:
        return None, start
    if order != b"l" or kind not in (METHOD_RETURN, ERROR):
        return Answered(kind, 0, ()), end  # a signal, or the other byte order, which nothing on this machine has
    try:
        serial, signature = _known_fields(bytes(data[start : start + 16 + fields]))
        return Answered(kind, serial, _known_values(bytes(data[begin:end]), signature)), end
    except (struct.error, IndexError, ValueError, TypeError, RecursionError) as error:
        raise Broken(f"a message that cannot be read: {error}") from error


def _number_of(data: bytes | bytearray, at: int, order: bytes) -> int:
    if order != b"B":
        raise Broken("not a D-Bus message")
    return int.from_bytes(data[at : at + 4], "big")


def _known_fields(head: bytes) -> tuple[int, str]:
    """The serial that is answered and the signature; what was read before is not read again."""
    if not head.startswith(_SERIAL_FIRST, 16):
        return _fields(head, len(head))
    rest = head[24:]
    signature = _signatures.get(rest)
    if signature is None:
        _, signature = _fields(head, len(head))
        if len(_signatures) >= _MOST_KEPT:
            _signatures.clear()
        _signatures[rest] = signature
    return _NUMBER.unpack_from(head, 20)[0], signature


def _known_values(content: bytes, signature: str) -> Body:
    """The values of a message; nobody may change them, for equal messages share them."""
    if len(content) > _LARGEST_KEPT:
        return _values(content, signature)
    values = _contents.get((signature, content))
    if values is None:
        values = _values(content, signature)
        if len(_contents) >= _MOST_KEPT:
            _contents.clear()
        _contents[signature, content] = values
    return values


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
