"""How alike two texts are."""

from __future__ import annotations

from trueline.tasks.errors import CheckerError

_LONGEST = 300_000
"""Characters; the work grows with the product of the lengths."""


def ratio(first: str, second: str) -> float:
    """Twice the length of the longest common subsequence, divided by both lengths; 1 for two empty texts.

    Raises:
        CheckerError: The texts are too long for this.
    """
    if first == second:
        return 1.0
    if not first or not second:
        return 0.0
    if max(len(first), len(second)) > _LONGEST:
        raise CheckerError(f"texts of more than {_LONGEST} characters are not compared by likeness")
    return 2 * _common(first, second) / (len(first) + len(second))


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
