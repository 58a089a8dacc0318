from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.stats.pass_rates.pass_k import Outcomes, histogram, outcomes, pass_at, pass_hat


@st.composite
def runs_and_k(draw: st.DrawFn) -> tuple[list[bool], int]:
    runs = draw(st.lists(st.booleans(), min_size=1, max_size=7))
    return runs, draw(st.integers(1, len(runs)))


@given(runs_and_k())
@settings(deadline=None)
def test_per_task_values_are_shares_of_all_ways_to_draw_k_runs(case: tuple[list[bool], int]) -> None:
    runs, k = case
    draws = list(combinations(runs, k))
    c, n = sum(runs), len(runs)
    assert pass_hat([c], n, k)[0] == sum(all(draw) for draw in draws) / len(draws)
    assert pass_at([c], n, k)[0] == sum(any(draw) for draw in draws) / len(draws)


@given(st.integers(1, 200), st.data())
@settings(deadline=None)
def test_values_are_correctly_rounded_for_many_runs(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_hat([c], n, k)[0] == float(Fraction(comb(c, k), comb(n, k)))
    assert pass_at([c], n, k)[0] == float(1 - Fraction(comb(n - c, k), comb(n, k)))


def test_first_and_last_k_are_the_rate_and_the_share_of_reliable_tasks() -> None:
    c = [0, 1, 2, 3, 3]
    assert pass_hat(c, 3, 1).mean() == pytest.approx(9 / 15)
    assert pass_hat(c, 3, 3).tolist() == [0, 0, 0, 1, 1]
    assert pass_at(c, 3, 3).tolist() == [0, 1, 1, 1, 1]


def test_tasks_may_have_different_numbers_of_runs() -> None:
    assert pass_hat([1, 2, 4], [2, 3, 4], 2).tolist() == [0, 1 / 3, 1]


def test_tasks_are_counted_by_outcome() -> None:
    assert outcomes([0, 3, 1, 2, 3], 3) == Outcomes(always=2, sometimes=2, never=1)
    assert outcomes([2, 2], [2, 3]) == Outcomes(always=1, sometimes=1, never=0)
    assert histogram([0, 3, 1, 2, 3], 3).tolist() == [1, 1, 1, 2]
    assert histogram([], 3).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("c", "n", "k", "said"),
    [
        ([1], 3, 4, "k = 4 needs at least 4 runs of every task, one has 3"),
        ([1, 1], [3, 2], 3, "one has 2"),
        ([1], 3, 0, "k must be at least 1"),
        ([4], 3, 1, "task 0: 4 successes of 3 runs"),
        ([0, -1], 3, 1, "task 1: -1 successes"),
        ([0.5], 3, 1, "whole numbers"),
        ([np.nan], 3, 1, "whole numbers"),
        ([np.inf], 3, 1, "whole numbers"),
        ([True], 3, 1, "whole numbers"),
        ([1, 1], [3, 3, 3], 1, "one entry per task, got 3 and 2"),
        ([[1], [2]], 3, 1, "one number per task"),
    ],
)
def test_impossible_input_is_refused(c: list[float], n: int | list[int], k: int, said: str) -> None:
    for value in (pass_hat, pass_at):
        with pytest.raises(InputError, match=said):
            value(c, n, k)


def test_no_tasks_have_no_values() -> None:
    assert pass_hat([], 3, 2).tolist() == []
