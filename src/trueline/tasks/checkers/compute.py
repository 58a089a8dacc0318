"""One metric on given values: what the isolated process does."""

from __future__ import annotations

import warnings

from trueline.errors import InputError, TruelineError
from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics import METRICS
from trueline.tasks.checkers.values import (
    CheckResult,
    DatabaseRows,
    Exhausted,
    FileValue,
    LastRow,
    Options,
    Unread,
    UnreadableResult,
    Value,
)
from trueline.tasks.errors import CheckerError


def compute(function: str, result: Value | Unread, expected: Value | Unread, options: Options) -> CheckResult:
    """Score a result.

    Raises:
        Exhausted: It needs more memory than the process may use.
        CheckerError: It cannot be scored, through no doing of the agent.
    """
    try:
        metric = METRICS.find(function)
    except InputError as error:
        raise CheckerError(str(error)) from error
    try:
        gold = _read(expected)
    except UnreadableResult as error:
        raise CheckerError(f"{function}: the expected value cannot be read: {error}") from error
    try:
        with warnings.catch_warnings():
            # Warnings of pandas and openpyxl about a file do not concern the reader of a score.
            warnings.simplefilter("ignore")
            return metric(_read(result), gold, options)
    except UnreadableResult as error:
        return CheckResult(0.0, str(error))
    except MemoryError as error:
        raise Exhausted(f"{function}: needs more memory than a checker may use") from error
    except TruelineError:
        raise
    except Exception as error:
        raise CheckerError(f"{function}: {type(error).__name__}: {error}") from error


def _read(value: Value | Unread) -> Value:
    if isinstance(value, DatabaseRows):
        from trueline.tasks.checkers.metrics.database import read_rows

        return read_rows(value)
    return _last_row(value.file) if isinstance(value, LastRow) else value


def _last_row(file: FileValue) -> Value:
    """The cells of the last row as text; empty for a table without rows."""
    from trueline.tasks.checkers.metrics.workbook import open_book

    try:
        book = open_book(file.content)
    except BadArchive as error:
        raise UnreadableResult(f"{file.name} {error}") from error
    rows = book.frame(book.sheets[0])[-1:].to_dict("split")["data"]
    return [str(cell) for row in rows for cell in row]
