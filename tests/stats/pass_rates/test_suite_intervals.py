from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueline.errors import InputError
from trueline.stats.intervals import Interval
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.pass_rates.suite_intervals import (
    NotIdentified,
    run_variance,
    suite_difference_interval,
    suite_interval,
)


@given(st.floats(0.01, 0.99), st.integers(1, 3), st.integers(0, 4))
@settings(deadline=None)
def test_variance_from_the_runs_is_right_on_average(p: float, k: int, more: int) -> None:
    n = 2 * k + more
    counts = np.arange(n + 1)
    weight = stats.binom.pmf(counts, n, p)
    value = pass_hat(counts, n, k)
    true_variance = float(weight @ (value - p**k) ** 2)
    added = (k / n) ** 2
    estimates = [run_variance([c], n, k) for c in counts]
    on_average = sum(float(w) * e for w, e in zip(weight, estimates, strict=True) if isinstance(e, float))
    assert on_average - added == pytest.approx(true_variance, abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(3, 3), (3, 2), (1, 1), (5, 3)])
def test_too_few_runs_give_a_reason_instead_of_an_interval(n: int, k: int) -> None:
    answers = suite_interval([1, 0], n, k), suite_difference_interval([1, 0], n, [1, 1], n, k)
    for answer in answers:
        assert isinstance(answer, NotIdentified)
        assert f"Pass^{k}" in answer.reason
        assert f"{2 * k} runs per task; every task has {n}" in answer.reason


def test_one_task_with_too_few_runs_is_enough_to_refuse() -> None:
    answer = suite_difference_interval([1, 2], [2, 3], [1, 1], [2, 1], 1)
    assert isinstance(answer, NotIdentified)
    assert "one has 1" in answer.reason


def test_tasks_that_agreed_over_their_runs_are_not_certain() -> None:
    interval = suite_interval([3] * 36, 3, 1)
    assert isinstance(interval, Interval)
    assert interval.high == 1
    assert 0.97 < interval.low < 0.99


@pytest.mark.parametrize("tasks", [36, 100, 361])
@pytest.mark.parametrize(("runs", "k"), [(3, 1), (6, 3)])
def test_intervals_hold_the_truth_of_the_given_tasks(tasks: int, runs: int, k: int) -> None:
    rng = np.random.default_rng(tasks + runs)
    studies = 600
    held = differences_held = 0
    for _ in range(studies):
        before = rng.beta(0.5, 0.4, tasks)
        after = np.clip(before + rng.normal(0.03, 0.1, tasks), 0, 1)
        c1, c2 = rng.binomial(runs, before), rng.binomial(runs, after)
        one, both = suite_interval(c2, runs, k), suite_difference_interval(c1, runs, c2, runs, k)
        assert isinstance(one, Interval) and isinstance(both, Interval)
        held += one.low <= np.mean(after**k) <= one.high
        differences_held += both.low <= np.mean(after**k - before**k) <= both.high
    noise = 3 * np.sqrt(0.05 * 0.95 / studies)
    for share in (held / studies, differences_held / studies):
        assert 0.92 - noise < share < 0.985


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="same tasks, got 1 and 2"):
        suite_difference_interval([1], 3, [1, 2], 3, 1)
    with pytest.raises(InputError, match="no tasks"):
        suite_interval([], 3, 1)
    with pytest.raises(InputError, match="level = 2"):
        suite_interval([1], 3, 1, level=2)
