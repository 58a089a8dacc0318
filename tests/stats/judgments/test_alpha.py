"""Krippendorff's alpha against published values and its definition."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.stats.judgments.alpha import Metric, krippendorff

# The reliability data of Krippendorff's own worked example: four observers, twelve units, gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(row) for row in zip(*OBSERVERS, strict=True)]


def test_the_worked_example() -> None:
    nominal, interval = krippendorff(UNITS), krippendorff(UNITS, "interval")
    assert nominal.value == pytest.approx(0.743, abs=5e-4)
    assert interval.value == pytest.approx(0.849, abs=5e-4)
    assert (nominal.units, nominal.values) == (11, 40)


def by_definition(units: list[list[int | None]], metric: Metric) -> float | None:
    """One minus observed over expected disagreement, pair by pair."""

    def difference(a: int, b: int) -> float:
        return float(a != b) if metric == "nominal" else float((a - b) ** 2)

    rows = [[value for value in unit if value is not None] for unit in units]
    rows = [row for row in rows if len(row) > 1]
    everything = [value for row in rows for value in row]
    n = len(everything)
    observed = sum(sum(difference(a, b) for a, b in permutations(row, 2)) / (len(row) - 1) for row in rows)
    expected = sum(difference(a, b) for a, b in permutations(everything, 2))
    return None if not expected else 1 - (n - 1) * observed / expected


@given(
    st.lists(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=4), max_size=8),
    st.sampled_from(["nominal", "interval"]),
)
@settings(deadline=None)
def test_it_is_what_the_definition_says(units: list[list[int | None]], metric: Metric) -> None:
    expected = by_definition(units, metric)
    found = krippendorff(units, metric).value
    assert found == (None if expected is None else pytest.approx(expected))


def test_agreement_is_one_and_a_lone_answer_says_nothing() -> None:
    assert krippendorff([[True, True], [False, False]]).value == 1
    assert krippendorff([[True, True], [True, True]]).value is None
    assert krippendorff([[True, None], [False]]).value is None
    assert krippendorff([]).units == 0
