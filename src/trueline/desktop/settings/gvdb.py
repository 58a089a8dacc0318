"""The file of dconf: a hash table of GVariant values (GVDB). The content is hostile."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MAGIC = b"GVariant"
_HEADER = struct.Struct("<8sIIII")
_ITEM = struct.Struct("<iIIHcxII")
_MOST_ITEMS = 50_000
_DEEPEST = 64
_NUMBERS = {"y": "<B", "n": "<h", "q": "<H", "i": "<i", "u": "<I", "x": "<q", "t": "<Q", "d": "<d"}


def read_gvdb(content: bytes) -> dict[str, str]:
    """The values by their whole key, as text.

    Raises:
        ValueError: It is no such file.
    """
    try:
        magic, version, _, start, end = _HEADER.unpack_from(content)
        if magic != _MAGIC or version != 0:
            raise ValueError("not a dconf database")
        return dict(_values(content, content[start:end]))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError("a damaged dconf database") from error


def _values(content: bytes, table: bytes) -> Iterator[tuple[str, str]]:
    bloom, buckets = struct.unpack_from("<II", table)
    first = 8 + 4 * (bloom & 0x7FFFFFF) + 4 * buckets
    count = (len(table) - first) // _ITEM.size
    if not 0 <= count <= _MOST_ITEMS:
        raise ValueError("a dconf database with too many keys")
    items = [_ITEM.unpack_from(table, first + n * _ITEM.size) for n in range(count)]

    def name(number: int, depth: int = 0) -> str:
        _, parent, start, size, *_ = items[number]
        if depth > _DEEPEST:
            raise ValueError("a dconf database nested too deeply")
        own = content[start : start + size].decode()
        return own if parent == 0xFFFFFFFF else name(parent, depth + 1) + own

    for number, (*_, kind, start, end) in enumerate(items):
        if kind == b"v":
            yield name(number), _as_text(content[start:end])


def _as_text(variant: bytes) -> str:
    """A value: numbers, booleans and texts as such, all others as their type and bytes."""
    value, _, kind = variant.rpartition(b"\0")
    type_ = kind.decode("ascii", "replace")
    if type_ == "b" and len(value) == 1:
        return "true" if value != b"\0" else "false"
    if type_ == "s":
        return value.rstrip(b"\0").decode("utf-8", "replace")
    if type_ in _NUMBERS and len(value) == struct.calcsize(_NUMBERS[type_]):
        return str(struct.unpack(_NUMBERS[type_], value)[0])
    return f"{type_} {value.hex()}"
