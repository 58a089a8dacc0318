"""A problem that a reader found and reports."""

from __future__ import annotations

from trueline.records.base import Record
from trueline.text import printable


class Problem(Record):
    """Where a problem is, what it is, and the raw text if it could not be parsed."""

    file: str
    """Name of the file inside the episode's folder."""
    what: str
    line: int | None = None
    """Counted from 1."""
    raw: str | None = None
    """The text that could not be parsed."""

    def __str__(self) -> str:
        """One line: file, line, what."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return printable(f"{place}: {self.what}")
