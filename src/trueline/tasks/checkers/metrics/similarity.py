"""The similarity of two texts."""

from __future__ import annotations

from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError

_LONGEST = 300_000
"""Characters; the work grows with the product of the lengths."""


def ratio(found: str, wanted: str) -> float:
    """Twice the length of the longest common subsequence, divided by both lengths; 1 for two empty texts.

    Raises:
        CheckerError: The expected text is too long to compare.
        UnreadableResult: The result is too long to compare.
    """
    if found == wanted:
        return 1.0
    if not found or not wanted:
        return 0.0
    for text, problem in ((wanted, CheckerError), (found, UnreadableResult)):
        if len(text) > _LONGEST:
            raise problem(f"a text of more than {_LONGEST} characters is too long for a fuzzy comparison")
    return 2 * _common(found, wanted) / (len(found) + len(wanted))


def _common(first: str, second: str) -> int:
    """Length of the longest common subsequence, a row of the table at a time as the bits of one number."""
    places: dict[str, int] = {}
    for number, char in enumerate(first):
        places[char] = places.get(char, 0) | 1 << number
    everything = (1 << len(first)) - 1
    row = everything
    for char in second:
        matched = row & places.get(char, 0)
        row = ((row + matched) | (row - matched)) & everything
    return len(first) - row.bit_count()
