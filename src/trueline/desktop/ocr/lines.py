"""What was read, and as one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trueline.desktop.screen.frame import Box


class TextLine(NamedTuple):
    """A piece of text that stands in one row."""

    text: str
    box: Box
    score: float
    """How sure the reader is, from 0 to 1."""


def plain_text(lines: Iterable[TextLine]) -> str:
    """The lines from top to bottom; pieces side by side stand in one row with a tab between them."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.box.top + line.box.bottom, line.box.left)):
        middle = (line.box.top + line.box.bottom) / 2
        if rows and rows[-1][0].box.top <= middle < rows[-1][0].box.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return "\n".join("\t".join(line.text for line in sorted(row, key=lambda line: line.box.left)) for row in rows)
