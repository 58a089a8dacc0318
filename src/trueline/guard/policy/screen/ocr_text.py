"""What OCR read at a point of the screen."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.actions.types import Point
from trueline.guard.policy.screen.target import Target
from trueline.records.text_line import TextLine

MOST_LINES = 2_000
"""Of one screen. A record may hold anything."""
_MOST_HERE = 3
_LONGEST = 200
_BESIDE, _ABOVE = 1.5, 0.5
"""Of a text's height: how far the button around it is taken to reach to its sides, and above and below it."""


def ocr_text_at(lines: Sequence[TextLine], at: Point) -> tuple[Target, ...]:
    """Return the texts at a point, the best centred first; if there is none, the nearest beside it.

    A button is larger than its label, so a point a little beside a text counts, unless it lies on another one.
    """
    on = [line for line in lines if _beside(line, at) == _above(line, at) == 0]
    if not on:
        near = [line for line in lines if _reaches(line, at)]
        on = [min(near, key=lambda line: _beside(line, at) ** 2 + _above(line, at) ** 2)] if near else []
    on.sort(key=lambda line: (_off_middle(line, at), line.right - line.left))
    return tuple(Target("", line.text[:_LONGEST], by_ocr=True) for line in on[:_MOST_HERE])


def _reaches(line: TextLine, at: Point) -> bool:
    height = line.bottom - line.top
    return _beside(line, at) <= _BESIDE * height and _above(line, at) <= _ABOVE * height


def _beside(line: TextLine, at: Point) -> int:
    return max(line.left - at.x, at.x - line.right + 1, 0)


def _above(line: TextLine, at: Point) -> int:
    return max(line.top - at.y, at.y - line.bottom + 1, 0)


def _off_middle(line: TextLine, at: Point) -> float:
    return abs(2 * at.y - line.top - line.bottom) / max(line.bottom - line.top, 1)
