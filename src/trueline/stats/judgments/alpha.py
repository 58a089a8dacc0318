"""Krippendorff's alpha: how far several judges agree beyond chance, whoever judged what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Metric = Literal["nominal", "interval"]


@dataclass(frozen=True, slots=True)
class Alpha:
    """The coefficient and what it rests on."""

    value: float | None
    """`None` when it is not defined: nothing to pair, or every value is the same."""
    units: int
    """Episodes with at least two values."""
    values: int
    """Values of these episodes."""
    metric: Metric


def krippendorff(units: Sequence[Sequence[float | None]], metric: Metric = "nominal") -> Alpha:
    """Alpha over units, each with the values that its judges gave.

    Args:
        units: One row per episode; `None` where a judge gave no value. Rows may have any length.
        metric: `nominal` for yes and no, `interval` for numbers such as steps.
    """
    rows = [[value for value in unit if value is not None] for unit in units]
    rows = [row for row in rows if len(row) > 1]
    totals = Counter(value for row in rows for value in row)
    n = sum(totals.values())
    expected = _pairs(totals, metric) / (n * (n - 1)) if n > 1 else 0.0
    if expected == 0:
        return Alpha(None, len(rows), n, metric)
    observed = sum(_pairs(Counter(row), metric) / (len(row) - 1) for row in rows) / n
    return Alpha(1 - observed / expected, len(rows), n, metric)


def _pairs(counts: Counter[float], metric: Metric) -> float:
    """The summed difference of all ordered pairs among these values."""
    n = sum(counts.values())
    if metric == "nominal":
        return float(n * n - sum(count * count for count in counts.values()))
    total = sum(value * count for value, count in counts.items())
    squares = sum(value * value * count for value, count in counts.items())
    return 2.0 * (n * squares - total * total)
