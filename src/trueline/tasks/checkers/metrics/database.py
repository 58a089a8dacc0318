"""run_sqlite3: a query on a database; and the rows of a browser's databases."""

from __future__ import annotations

import sqlite3

from pydantic import JsonValue

from trueline.tasks.checkers.values import (
    CheckResult,
    DatabaseRows,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    required_text,
    rules_of,
)

_MAGIC = b"SQLite format 3\0"
_VERSIONS = slice(18, 20)
"""How it is written and read: 1 for a rollback journal, 2 for a write-ahead log, which only works on disk."""


def run_sqlite3(result: Value, expected: Value, _: Options) -> CheckResult:
    """The first value that the query `rules.sql` gives, limited to the range from 0 to 1."""
    query = required_text(rules_of(expected), "sql")
    if not isinstance(result, FileValue):
        return CheckResult(0.0, "there is no such file")
    try:
        with open_database(result) as database:
            row = database.execute(query).fetchone()
        value = float(row[0] or 0) if row else None
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise UnreadableResult(f"{result.name}: {error}") from error
    if value is None:
        return CheckResult(0.0, "the query finds nothing")
    score = min(max(value, 0.0), 1.0)
    return CheckResult(score, "" if score == 1 else f"the query gives {value:g}")


def open_database(file: FileValue) -> sqlite3.Connection:
    """Open a copy in memory.

    Raises:
        sqlite3.Error: It is no database.
    """
    content = bytearray(file.content)
    if content.startswith(_MAGIC) and len(content) >= 20:
        content[_VERSIONS] = b"\1\1"
    database = sqlite3.connect(":memory:")
    if content:
        database.deserialize(bytes(content))
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def read_rows(value: DatabaseRows) -> list[JsonValue]:
    """All rows; bytes, which JSON does not know, are left out as null.

    Raises:
        UnreadableResult: It is no database, or has other columns.
    """
    try:
        with open_database(value.file) as database:
            found = database.execute(value.query).fetchall()
    except sqlite3.Error as error:
        raise UnreadableResult(f"{value.file.name}: {error}") from error
    return [[cell if isinstance(cell, int | float | str) else None for cell in row] for row in found]
