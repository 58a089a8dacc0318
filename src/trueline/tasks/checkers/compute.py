"""One metric on given values; runs where hostile files may do their worst."""

from __future__ import annotations

import warnings

from trueline.errors import TruelineError
from trueline.tasks.checkers.archive import BadArchive
from trueline.tasks.checkers.metrics import METRICS, find_metric
from trueline.tasks.checkers.values import CheckResult, Exhausted, FileValue, LastRow, Options, UnreadableResult, Value
from trueline.tasks.errors import CheckerError


def compute(function: str, result: Value | LastRow, expected: Value | LastRow, options: Options) -> CheckResult:
    """Score a result.

    Raises:
        Exhausted: It does not fit into the memory there is.
        CheckerError: It cannot be scored, through no doing of the agent.
    """
    if function not in METRICS:
        raise CheckerError(f"there is no function {function!r} here")
    try:
        gold = _read(expected)
    except UnreadableResult as error:
        raise CheckerError(f"{function}: what is expected cannot be read: {error}") from error
    try:
        with warnings.catch_warnings():
            # What pandas and openpyxl think of a file is no concern of whoever reads the score.
            warnings.simplefilter("ignore")
            return find_metric(function)(_read(result), gold, options)
    except UnreadableResult as error:
        return CheckResult(0.0, str(error))
    except MemoryError as error:
        raise Exhausted(f"{function}: does not fit into the memory a checker may use") from error
    except TruelineError:
        raise
    except Exception as error:
        raise CheckerError(f"{function}: {type(error).__name__}: {error}") from error


def _read(value: Value | LastRow) -> Value:
    return _last_row(value.file) if isinstance(value, LastRow) else value


def _last_row(file: FileValue) -> Value:
    """The cells of the last row as text; a table without rows has none."""
    from trueline.tasks.checkers.metrics.workbook import open_book

    try:
        book = open_book(file.content)
    except BadArchive as error:
        raise UnreadableResult(f"{file.name} {error}") from error
    rows = book.frame(book.sheets[0])[-1:].to_dict("split")["data"]
    return [str(cell) for row in rows for cell in row]
