"""What OCR read on a screen: pieces of text with their places, and as one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class TextLine(NamedTuple):
    """A piece of text that stands in one row, and its box on the screen; right and bottom lie just outside of it."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    score: float = 1.0
    """How sure the reader is, from 0 to 1."""


def plain_text(lines: Iterable[TextLine]) -> str:
    """The lines from top to bottom; pieces side by side stand in one row with a tab between them."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        middle = (line.top + line.bottom) / 2
        if rows and rows[-1][0].top <= middle < rows[-1][0].bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return "\n".join("\t".join(line.text for line in sorted(row, key=lambda line: line.left)) for row in rows)
