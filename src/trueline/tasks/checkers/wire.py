"""Calls of metrics as JSON, between the program and the process that does the work."""

from __future__ import annotations

from typing import Literal

from pydantic import Base64Bytes, JsonValue

from trueline.records.base import Record
from trueline.tasks.checkers.values import CheckResult, FileValue, LastRow, Value


class WireFile(Record):
    """A file, or what is to be made of it first."""

    name: str
    content: Base64Bytes
    unread: str = ""
    read: Literal["file", "last_row"] = "file"


class WireValue(Record):
    """A value: data, a file, or several."""

    data: JsonValue = None
    file: WireFile | None = None
    files: tuple[WireFile | None, ...] | None = None


class Call(Record):
    """What to compute."""

    function: str
    result: WireValue
    expected: WireValue
    options: dict[str, JsonValue]


class Answer(Record):
    """What came of it: a score, or why there is none."""

    score: float = 0.0
    reason: str = ""
    unreadable: bool = False
    error: str | None = None
    exhausted: bool = False
    """The error is that memory ran out."""

    @classmethod
    def of(cls, outcome: CheckResult) -> Answer:
        """A score."""
        return cls(score=outcome.score, reason=outcome.reason, unreadable=outcome.unreadable)


def pack(value: Value | LastRow) -> WireValue:
    """A value for the wire."""
    if isinstance(value, LastRow):
        return WireValue(file=_pack_file(value.file, "last_row"))
    if isinstance(value, FileValue):
        return WireValue(file=_pack_file(value))
    if isinstance(value, tuple):
        return WireValue(files=tuple(None if file is None else _pack_file(file) for file in value))
    return WireValue(data=value)


def _pack_file(file: FileValue, read: Literal["file", "last_row"] = "file") -> WireFile:
    # The field takes what is encoded already; this makes it without a round trip.
    return WireFile.model_construct(name=file.name, content=file.content, unread=file.unread, read=read)


def unpack(value: WireValue) -> Value | LastRow:
    """The value again."""
    if value.file is not None:
        file = FileValue(value.file.name, value.file.content)
        return LastRow(file) if value.file.read == "last_row" else file
    if value.files is not None:
        return tuple(None if file is None else FileValue(file.name, file.content, file.unread) for file in value.files)
    return value.data
