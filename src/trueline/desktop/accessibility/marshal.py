"""D-Bus values as bytes. Each signature is turned into functions once: a tree is read from thousands of values.

A variant is a pair of its signature and its value, a structure a tuple, an array a list, a dictionary a dict.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import TypeGuard

Read = Callable[[bytes, int], tuple[object, int]]
Write = Callable[[bytearray, object], None]

_NUMBER = struct.Struct("<I")
_STRING_ROWS = {"a{ss}": 2, "a(so)": 2, "a(ss)": 2, "a(sss)": 3}
"""Arrays of structures of strings. Half of all answers are such, so they have a reader without calls in it."""
_FIXED = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "b": "I", "h": "I"}


class Broken(ValueError):
    """The data received is not a valid message."""


def is_row(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    """Whether it is a D-Bus array or structure."""
    return isinstance(value, list | tuple)


def is_table(value: object) -> TypeGuard[dict[object, object]]:
    """Whether it is a D-Bus dictionary."""
    return isinstance(value, dict)


@lru_cache(maxsize=1024)
def readers(signature: str) -> tuple[Read, ...]:
    """One function for each value of a signature."""
    return tuple(_reader(part) for part in split(signature))


@lru_cache(maxsize=1024)
def writers(signature: str) -> tuple[Write, ...]:
    """One function for each value of a signature."""
    return tuple(_writer(part) for part in split(signature))


def split(signature: str) -> list[str]:
    """The single types of a signature.

    Raises:
        Broken: It is none.
    """
    parts: list[str] = []
    start = at = depth = 0
    while at < len(signature):
        letter = signature[at]
        at += 1
        if letter in "({":
            depth += 1
        elif letter in ")}":
            depth -= 1
        if depth == 0 and letter != "a":
            parts.append(signature[start:at])
            start = at
    if start != len(signature) or depth or any("()" in part for part in parts) or len(signature) > 255:
        raise Broken(f"signature {signature!r}")
    return parts


def _reader(kind: str) -> Read:
    first = kind[0]
    if first in _FIXED:
        return _read_fixed(first)
    if first in "so":
        return _read_string
    if first == "g":
        return _read_signature
    if first == "v":
        return _read_variant
    if first == "(":
        return _read_structure(kind[1:-1])
    if kind in _STRING_ROWS:
        return _read_string_rows(_STRING_ROWS[kind], table=kind == "a{ss}")
    if kind == "as":
        return _read_strings
    if kind == "a{sv}":
        return _read_properties
    if kind.startswith("a{"):
        return _read_dictionary(kind[2:-1])
    if first == "a":
        return _read_array(kind[1:])
    raise Broken(f"type {kind!r}")


def _read_fixed(letter: str) -> Read:
    shape = struct.Struct("<" + _FIXED[letter])
    size, mask = shape.size, -shape.size
    unpack = shape.unpack_from
    truth = letter == "b"

    def read(data: bytes, at: int) -> tuple[object, int]:
        at = (at + size - 1) & mask
        value = unpack(data, at)[0]
        return bool(value) if truth else value, at + size

    return read


def _read_string(data: bytes, at: int) -> tuple[object, int]:
    at = (at + 3) & -4
    end = at + 4 + _NUMBER.unpack_from(data, at)[0]
    return data[at + 4 : end].decode("utf-8", "replace"), end + 1


def _read_signature(data: bytes, at: int) -> tuple[object, int]:
    end = at + 1 + data[at]
    return data[at + 1 : end].decode("ascii", "replace"), end + 1


def _read_variant(data: bytes, at: int) -> tuple[object, int]:
    end = at + 1 + data[at]
    signature = data[at + 1 : end].decode("ascii", "replace")
    (read,) = readers(signature)
    value, at = read(data, end + 1)
    return (signature, value), at


def _read_structure(inner: str) -> Read:
    parts = readers(inner)

    def read(data: bytes, at: int) -> tuple[object, int]:
        at = (at + 7) & -8
        values: list[object] = []
        for part in parts:
            value, at = part(data, at)
            values.append(value)
        return tuple(values), at

    return read


def _read_array(inner: str) -> Read:
    (element,) = readers(inner)
    align = _alignment(inner)

    def read(data: bytes, at: int) -> tuple[object, int]:
        at = (at + 3) & -4
        size = _NUMBER.unpack_from(data, at)[0]
        at = (at + 4 + align - 1) & -align
        end = at + size
        if end > len(data):
            raise Broken("an array beyond its message")
        values: list[object] = []
        while at < end:
            value, at = element(data, at)
            values.append(value)
        return values, at

    return read


def _read_dictionary(inner: str) -> Read:
    pairs = _read_array(f"({inner})")

    def read(data: bytes, at: int) -> tuple[object, int]:
        found, at = pairs(data, at)
        return {pair[0]: pair[1] for pair in found if is_row(pair)} if is_row(found) else {}, at

    return read


def _array_span(data: bytes, at: int, align: int) -> tuple[int, int]:
    """Where the elements of an array begin and end."""
    at = (at + 3) & -4
    size = _NUMBER.unpack_from(data, at)[0]
    at = (at + 4 + align - 1) & -align
    if at + size > len(data):
        raise Broken("an array beyond its message")
    return at, at + size


def _read_string_rows(width: int, *, table: bool) -> Read:
    unpack = _NUMBER.unpack_from

    def read(data: bytes, at: int) -> tuple[object, int]:
        at, end = _array_span(data, at, 8)
        rows: list[tuple[str, ...]] = []
        while at < end:
            at = (at + 7) & -8
            row: list[str] = []
            for _ in range(width):
                at = (at + 3) & -4
                stop = at + 4 + unpack(data, at)[0]
                row.append(data[at + 4 : stop].decode("utf-8", "replace"))
                at = stop + 1
            rows.append(tuple(row))
        return {row[0]: row[1] for row in rows} if table else rows, at

    return read


def _read_strings(data: bytes, at: int) -> tuple[object, int]:
    at, end = _array_span(data, at, 4)
    unpack = _NUMBER.unpack_from
    words: list[str] = []
    while at < end:
        at = (at + 3) & -4
        stop = at + 4 + unpack(data, at)[0]
        words.append(data[at + 4 : stop].decode("utf-8", "replace"))
        at = stop + 1
    return words, at


def _read_properties(data: bytes, at: int) -> tuple[object, int]:
    at, end = _array_span(data, at, 8)
    unpack = _NUMBER.unpack_from
    found: dict[object, object] = {}
    while at < end:
        at = (at + 7) & -8
        stop = at + 4 + unpack(data, at)[0]
        name = data[at + 4 : stop].decode("utf-8", "replace")
        found[name], at = _read_variant(data, stop + 1)
    return found, at


def _alignment(kind: str) -> int:
    first = kind[0]
    if first in "({":
        return 8
    if first in "soa":
        return 4
    return struct.calcsize(_FIXED[first]) if first in _FIXED else 1


def _writer(kind: str) -> Write:
    first = kind[0]
    if first in _FIXED:
        return lambda out, value: _write_aligned(out, struct.pack("<" + _FIXED[first], value))
    if first in "so":
        return _write_string
    if first == "v":
        return _write_variant
    if first in "({":
        return _write_structure(kind[1:-1])
    if first == "a":
        return _write_array(kind[1:])
    raise Broken(f"type {kind!r}")


def _write_aligned(out: bytearray, value: bytes) -> None:
    out += bytes(-len(out) % len(value)) + value


def _write_string(out: bytearray, value: object) -> None:
    word = str(value).encode()
    _write_aligned(out, _NUMBER.pack(len(word)))
    out += word + b"\0"


def _write_variant(out: bytearray, value: object) -> None:
    assert is_row(value) and isinstance(value[0], str)
    signature = value[0]
    out += bytes((len(signature),)) + signature.encode() + b"\0"
    (write,) = writers(signature)
    write(out, value[1])


def _write_structure(inner: str) -> Write:
    parts = writers(inner)

    def write(out: bytearray, value: object) -> None:
        assert is_row(value)
        out += bytes(-len(out) % 8)
        for part, one in zip(parts, value, strict=True):
            part(out, one)

    return write


def _write_array(inner: str) -> Write:
    (element,) = writers(inner)
    align = _alignment(inner)

    def write(out: bytearray, value: object) -> None:
        _write_aligned(out, bytes(4))
        place = len(out) - 4
        out += bytes(-len(out) % align)
        begin = len(out)
        rows = list(value.items()) if is_table(value) else value
        assert is_row(rows)
        for one in rows:
            element(out, one)
        _NUMBER.pack_into(out, place, len(out) - begin)

    return write
