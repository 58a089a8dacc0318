"""Something odd that a reader met and did not hide."""

from __future__ import annotations

from trueline.records.base import Record
from trueline.text import printable


class Problem(Record):
    """Where it is, what is wrong, and the text itself if it could not be read as what it should be."""

    file: str
    """Name of the file inside the episode's folder."""
    what: str
    line: int | None = None
    """Counted from 1."""
    raw: str | None = None
    """What could not be understood, as it stands in the file."""

    def __str__(self) -> str:
        """One line: file, line, what."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return printable(f"{place}: {self.what}")
