"""What getters give to metrics, and what metrics give back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from trueline.tasks.errors import CheckerError
from trueline.text import printable

if TYPE_CHECKING:
    # The process that computes a metric does not pay for the records.
    from trueline.records.episode import Comparison


class UnreadableResult(Exception):
    """What the agent left is not what was asked for (no JSON, no workbook …): a score of 0, with this reason."""


class Exhausted(CheckerError):
    """A metric used up its memory or its computing time. Whoever called it finds out on which side's files."""


@dataclass(frozen=True)
class FileValue:
    """A file as a metric gets it. What comes from the desktop is hostile."""

    name: str
    content: bytes = field(repr=False)
    unread: str = ""
    """Why its content could not be read; then there is none."""

    @property
    def suffix(self) -> str:
        """`.docx`; lower case."""
        return PurePosixPath(self.name).suffix.lower()


@dataclass(frozen=True)
class LastRow:
    """The last row of a workbook's first sheet, read where hostile files are read."""

    file: FileValue


_SHOWN = 300
_MOST_FILES = 10

Value = JsonValue | FileValue | tuple[FileValue | None, ...]
"""Data, a file, or several files. A file that is not there is `None`."""
Options = Mapping[str, JsonValue]


@dataclass(frozen=True)
class CheckResult:
    """How well the end state fits, from 0 to 1, and why not wholly."""

    score: float
    reason: str = ""
    unreadable: bool = False
    """Something that was left there cannot be read, so a score of 0 does not say that it is not what is looked for."""
    comparisons: tuple[Comparison, ...] = field(default=(), compare=False)
    """What the score was made of."""


Metric = Callable[[Value, Value, Options], CheckResult]
"""Compares a result with what was expected.

It raises CheckerError for a wrong rule or expected file, UnreadableResult for a result that is not what it should be
or is absurdly large.
"""

FULL = CheckResult(1.0)


def shown(value: object) -> str:
    """A value as a person reads it, in one bounded line."""
    match value:
        case None:
            return "nothing"
        case FileValue():
            return printable(f"file {value.name} of {len(value.content):,} bytes{_text_of(value)}", _SHOWN)
        case LastRow():
            return printable(f"the last row of {value.file.name}", _SHOWN)
        case tuple():
            files = cast("tuple[object, ...]", value)
            different = dict.fromkeys(shown(file) for file in files[:_MOST_FILES])
            return printable("; ".join(different), _SHOWN)
        case str():
            return printable(json.dumps(value[:_SHOWN], ensure_ascii=False), _SHOWN)
        case _:
            # Not the whole of it first: what an agent left may be as large as it likes.
            pieces = json.JSONEncoder(ensure_ascii=False).iterencode(value)
            return printable("".join(islice(pieces, _SHOWN)), _SHOWN)


def _text_of(file: FileValue) -> str:
    """How the file begins, where it is text."""
    start = file.content[:_SHOWN]
    if b"\0" in start:
        return ""
    try:
        # The cut may go through a character.
        text = start.decode() if len(file.content) <= _SHOWN else start[:-4].decode("utf-8", "ignore")
    except UnicodeDecodeError:
        return ""
    return f": {json.dumps(text, ensure_ascii=False)}" if text and text.replace("\n", "").isprintable() else ""


def verdict(good: bool, reason: str) -> CheckResult:
    """1, or 0 with a reason."""
    return FULL if good else CheckResult(0.0, reason)


def expected_file(value: Value) -> FileValue:
    """The file to compare with.

    Raises:
        CheckerError: There is none.
    """
    if not isinstance(value, FileValue):
        raise CheckerError("the expected file is missing: it must come from cloud_file or vm_file")
    return value


def rules_of(value: Value) -> dict[str, JsonValue]:
    """The rules to compare with.

    Raises:
        CheckerError: There are none.
    """
    if not isinstance(value, dict):
        raise CheckerError("the expected value must be an object of rules")
    return value


def texts(rules: Mapping[str, JsonValue], key: str) -> list[str]:
    """A list of texts from the rules; absent is empty.

    Raises:
        CheckerError: It is something else.
    """
    value = rules.get(key, [])
    if isinstance(value, list):
        found = [item for item in value if isinstance(item, str)]
        if len(found) == len(value):
            return found
    raise CheckerError(f"rules.{key} must be a list of strings")


def flag(options: Options, key: str, default: bool = False) -> bool:
    """A switch from the options."""
    return bool(options.get(key, default))
