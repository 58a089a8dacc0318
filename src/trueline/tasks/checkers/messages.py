"""Messages between the program and the process that computes a metric, as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import Base64Bytes, JsonValue

from trueline.records.base import Record
from trueline.tasks.checkers.values import CheckResult, DatabaseRows, FileValue, LastRow, Unread, Value


class FileMessage(Record):
    """A file, or what to read from it."""

    name: str
    content: Base64Bytes
    unread: str = ""
    read: Literal["file", "last_row", "rows"] = "file"


class ValueMessage(Record):
    """A value: data, one file, or several files."""

    data: JsonValue = None
    file: FileMessage | None = None
    files: tuple[FileMessage | None, ...] | None = None


class MetricRequest(Record):
    """A metric and its arguments."""

    function: str
    result: ValueMessage
    expected: ValueMessage
    options: dict[str, JsonValue]


class MetricResponse(Record):
    """A score, or why there is none."""

    score: float = 0.0
    reason: str = ""
    unreadable: bool = False
    error: str | None = None
    exhausted: bool = False
    """The error is that memory ran out."""

    @classmethod
    def from_result(cls, checked: CheckResult) -> MetricResponse:
        """The response for a score."""
        return cls(score=checked.score, reason=checked.reason, unreadable=checked.unreadable)


def encode(value: Value | Unread) -> ValueMessage:
    """Encode a value for the other process."""
    if isinstance(value, LastRow):
        return ValueMessage(file=_encode_file(value.file, "last_row"))
    if isinstance(value, DatabaseRows):
        return ValueMessage(file=_encode_file(value.file, "rows"))
    if isinstance(value, FileValue):
        return ValueMessage(file=_encode_file(value))
    if isinstance(value, tuple):
        return ValueMessage(files=tuple(None if file is None else _encode_file(file) for file in value))
    return ValueMessage(data=value)


def _encode_file(file: FileValue, read: Literal["file", "last_row", "rows"] = "file") -> FileMessage:
    # Validation would expect Base64; `model_construct` takes the bytes as they are.
    return FileMessage.model_construct(name=file.name, content=file.content, unread=file.unread, read=read)


def decode(value: ValueMessage) -> Value | Unread:
    """Decode a value from the other process."""
    if value.file is not None:
        file = FileValue(value.file.name, value.file.content)
        if value.file.read == "rows":
            return DatabaseRows(file)
        return LastRow(file) if value.file.read == "last_row" else file
    if value.files is not None:
        return tuple(None if file is None else FileValue(file.name, file.content, file.unread) for file in value.files)
    return value.data
