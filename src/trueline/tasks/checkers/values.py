"""What getters pass to metrics, and what metrics return."""

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
    # Not imported in the isolated process, to start faster.
    from trueline.records.episode import ScoredBy, ValueComparison


class UnreadableResult(Exception):
    """The agent left something in the wrong format (not JSON, not a workbook …): scores 0 with this reason."""


class Exhausted(CheckerError):
    """A metric ran out of memory or CPU time. The caller finds out whose file is to blame."""


@dataclass(frozen=True)
class FileValue:
    """A file for a metric. Files from the desktop are hostile."""

    name: str
    content: bytes = field(repr=False)
    unread: str = ""
    """Why its content could not be read; empty if it could."""

    @property
    def suffix(self) -> str:
        """`.docx`; lower case."""
        return PurePosixPath(self.name).suffix.lower()


@dataclass(frozen=True)
class LastRow:
    """The last row of a workbook's first sheet, to be read in the isolated process."""

    file: FileValue


@dataclass(frozen=True)
class DatabaseRows:
    """Rows of an SQLite database of the browser, to be read in the isolated process."""

    file: FileValue
    """Named as in the profile: its name decides which rows, so that no task or record can bring a query along."""

    @property
    def query(self) -> str:
        """The query that finds the rows."""
        return DATABASE_QUERIES[self.file.name]


DATABASE_QUERIES = {
    "Cookies": "SELECT creation_utc, host_key, name FROM cookies",
    "History": "SELECT url, title, last_visit_time FROM urls",
}
Unread = LastRow | DatabaseRows
"""What the isolated process has yet to read."""
_SHOWN = 300
_MOST_FILES = 10

Value = JsonValue | FileValue | tuple[FileValue | None, ...]
"""Data, a file, or several files. A missing file is `None`."""
Options = Mapping[str, JsonValue]


@dataclass(frozen=True)
class CheckResult:
    """A score from 0 to 1, and why it is not 1."""

    score: float
    reason: str = ""
    unreadable: bool = False
    """Something cannot be read, so a score of 0 does not mean that it is not there."""
    comparisons: tuple[ValueComparison, ...] = field(default=(), compare=False)
    """What the score is made of, to explain it."""
    scored_by: ScoredBy = field(default="native", compare=False)
    disagreement: str | None = field(default=None, compare=False)
    """How Trueline's own score differs from that of OSWorld's functions; empty: it does not, `None`: not compared."""


Metric = Callable[[Value, Value, Options], CheckResult]
"""Compares a result with what was expected.

It raises CheckerError for an invalid rule or expected file, and UnreadableResult for a result in the wrong format or
of an absurd size.
"""

FULL = CheckResult(1.0)


def describe(value: object) -> str:
    """A value for people, in one line of limited length."""
    match value:
        case None:
            return "nothing"
        case FileValue():
            return printable(f"file {value.name} of {len(value.content):,} bytes{_text_of(value)}", _SHOWN)
        case LastRow():
            return printable(f"the last row of {value.file.name}", _SHOWN)
        case DatabaseRows():
            return printable(f"rows of {value.file.name}", _SHOWN)
        case tuple():
            files = cast("tuple[object, ...]", value)
            different = dict.fromkeys(describe(file) for file in files[:_MOST_FILES])
            return printable("; ".join(different), _SHOWN)
        case str():
            return printable(json.dumps(value[:_SHOWN], ensure_ascii=False), _SHOWN)
        case _:
            # Encoded lazily: what an agent left may be very large.
            pieces = json.JSONEncoder(ensure_ascii=False).iterencode(value)
            return printable("".join(islice(pieces, _SHOWN)), _SHOWN)


def _text_of(file: FileValue) -> str:
    """The beginning of a text file."""
    start = file.content[:_SHOWN]
    if b"\0" in start:
        return ""
    try:
        # The cut may split a character.
        text = start.decode() if len(file.content) <= _SHOWN else start[:-4].decode("utf-8", "ignore")
    except UnicodeDecodeError:
        return ""
    return f": {json.dumps(text, ensure_ascii=False)}" if text and text.replace("\n", "").isprintable() else ""


def pass_if(good: bool, reason: str) -> CheckResult:
    """A score of 1, or of 0 with a reason."""
    return FULL if good else CheckResult(0.0, reason)


def expected_file(value: Value) -> FileValue:
    """The expected file.

    Raises:
        CheckerError: The value is not a file.
    """
    if not isinstance(value, FileValue):
        raise CheckerError("the expected file is missing: it must come from cloud_file or vm_file")
    return value


def rules_of(value: Value) -> dict[str, JsonValue]:
    """The expected rules.

    Raises:
        CheckerError: The value is not an object.
    """
    if not isinstance(value, dict):
        raise CheckerError("the expected value must be an object of rules")
    return value


def strings(rules: Mapping[str, JsonValue], key: str) -> list[str]:
    """A list of strings from the rules; empty if it is missing.

    Raises:
        CheckerError: It is not a list of strings.
    """
    value = rules.get(key, [])
    if isinstance(value, list):
        found = [item for item in value if isinstance(item, str)]
        if len(found) == len(value):
            return found
    raise CheckerError(f"rules.{key} must be a list of strings")


def required(rules: Mapping[str, JsonValue], key: str) -> JsonValue:
    """A value that the rules must have.

    Raises:
        CheckerError: It is missing.
    """
    if key not in rules:
        raise CheckerError(f"rules.{key} is missing")
    return rules[key]


def required_text(rules: Mapping[str, JsonValue], key: str) -> str:
    """A string that the rules must have.

    Raises:
        CheckerError: It is missing or not a string.
    """
    value = required(rules, key)
    if not isinstance(value, str):
        raise CheckerError(f"rules.{key} must be a string")
    return value


def required_texts(rules: Mapping[str, JsonValue], key: str) -> list[str]:
    """A list of strings that the rules must have.

    Raises:
        CheckerError: It is missing or not a list of strings.
    """
    required(rules, key)
    return strings(rules, key)


def utf8(file: FileValue, error: type[CheckerError] | type[UnreadableResult] = UnreadableResult) -> str:
    """The text of a file, with line feeds alone at the ends of lines.

    Raises:
        UnreadableResult: It is not UTF-8; the caller may name another error for an expected file.
    """
    try:
        text = file.content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise error(f"{file.name}: is not UTF-8 text ({problem.reason} at byte {problem.start})") from problem
    return text.replace("\r\n", "\n").replace("\r", "\n")


def flag(options: Options, key: str, default: bool = False) -> bool:
    """A boolean option."""
    return bool(options.get(key, default))
