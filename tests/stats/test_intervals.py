from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueline.errors import InputError
from trueline.stats.intervals import (
    _tango,
    difference_interval,
    difference_intervals,
    mean_interval,
    mean_intervals,
    wilson,
)
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.resample import Resample, resample_weights

Z = float(stats.norm.ppf(0.975))


def one_stratum(tasks: int) -> Resample:
    return resample_weights(np.zeros(tasks))


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(deadline=None)
def test_wilson_is_that_of_scipy(n: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, n))
    ours = wilson(successes, n, level)
    theirs = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def score_test(gained: int, lost: int, n: int, delta: float) -> float:
    """Tango's statistic with the constrained likelihood maximised numerically."""

    q = np.linspace(max(0, -delta), (1 - delta) / 2, 2_000_001)
    cells = (gained, q + delta), (lost, q), (n - gained - lost, 1 - 2 * q - delta)
    likelihood = sum(count * np.log(np.maximum(p, 1e-300)) for count, p in cells)
    best = q[np.argmax(likelihood)]
    return (gained - lost - n * delta) / np.sqrt(n * (2 * best + delta * (1 - delta)))


@pytest.mark.parametrize(("gained", "lost", "n"), [(7, 1, 21), (6, 0, 36), (20, 12, 100), (1, 2, 36), (5, 30, 60)])
def test_paired_interval_ends_where_tangos_test_just_rejects(gained: int, lost: int, n: int) -> None:
    centre, rate, size = (np.array([x]) for x in ((gained - lost) / n, (gained + lost) / n, float(n)))
    low, high = _tango(centre, rate, size, Z)
    assert score_test(gained, lost, n, low[0]) == pytest.approx(Z, abs=1e-3)
    assert score_test(gained, lost, n, high[0]) == pytest.approx(-Z, abs=1e-3)


def test_without_domains_a_share_of_tasks_has_nearly_the_wilson_interval() -> None:
    flags = np.repeat([1, 0], [110, 251])
    ours, plain = mean_interval(flags, one_stratum(361)), wilson(110, 361)
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=0.003)


def test_domains_that_explain_the_outcome_narrow_the_interval() -> None:
    domain = np.repeat([0, 1], 50)
    values = np.concatenate([np.repeat([1, 0], [46, 4]), np.repeat([1, 0], [5, 45])])
    plain = mean_interval(values, one_stratum(100))
    stratified = mean_interval(values, resample_weights(domain))
    assert stratified.high - stratified.low < 0.75 * (plain.high - plain.low)


def test_agreement_of_all_tasks_is_not_certainty() -> None:
    units = one_stratum(36)
    always, never = mean_interval(np.ones(36), units), mean_interval(np.zeros(36), units)
    unchanged = difference_interval(np.zeros(36), units)
    assert always.high == 1
    assert 0.88 < always.low < 0.92
    assert never.low == 0
    assert 0.08 < never.high < 0.12
    assert -0.12 < unchanged.low < -0.08
    assert 0.08 < unchanged.high < 0.12


def test_one_task_gives_an_interval_that_says_little() -> None:
    only = mean_interval([1.0], one_stratum(1))
    assert only.low < 0.25
    assert only.high == 1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.data())
@settings(deadline=None, max_examples=50)
def test_success_and_failure_mirror_each_other(c: list[int], data: st.DataObject) -> None:
    domain = data.draw(st.lists(st.integers(0, 3), min_size=len(c), max_size=len(c)))
    units = resample_weights(domain)
    values = np.array(c) / 3
    up, down = mean_interval(values, units), mean_interval(1 - values, units)
    assert (up.low, up.high) == pytest.approx((1 - down.high, 1 - down.low), abs=1e-9)
    assert up.low - 1e-12 <= values.mean() <= up.high + 1e-12
    assert 0 <= up.low < up.high <= 1
    change = values - values[::-1] * 0.5
    more, less = difference_interval(change, units), difference_interval(-change, units)
    assert (more.low, more.high) == pytest.approx((-less.high, -less.low), abs=1e-9)
    assert more.low - 1e-12 <= change.mean() <= more.high + 1e-12
    assert -1 <= more.low < more.high <= 1


def test_repeating_every_task_in_its_own_cluster_adds_no_information() -> None:
    rng = np.random.default_rng(1)
    domain, c, change = rng.integers(0, 3, 40), rng.integers(0, 4, 40) / 3, rng.integers(-3, 4, 40) / 3
    single = resample_weights(domain)
    tripled = resample_weights(np.repeat(domain, 3), np.repeat(np.arange(40), 3))
    pairs = (
        (mean_interval(c, single), mean_interval(np.repeat(c, 3), tripled)),
        (difference_interval(change, single), difference_interval(np.repeat(change, 3), tripled)),
    )
    for a, b in pairs:
        assert (a.low, a.high) == pytest.approx((b.low, b.high))
    independent = mean_interval(np.repeat(c, 3), resample_weights(np.repeat(domain, 3)))
    assert independent.high - independent.low < 0.7 * (pairs[0][0].high - pairs[0][0].low)


def test_units_left_out_are_not_looked_at() -> None:
    rng = np.random.default_rng(2)
    domain, values = np.repeat([0, 1], 20), rng.integers(0, 4, 40) / 3
    values[3] = np.nan
    units = resample_weights(domain)
    second = mean_interval(values, units, where=domain == 1)
    alone = mean_interval(values[20:], one_stratum(20))
    assert (second.low, second.high) == pytest.approx((alone.low, alone.high), abs=0.01)
    scored = mean_interval(values, units, where=~np.isnan(values))
    assert scored.low < np.nanmean(values) < scored.high


def test_many_columns_at_once_are_the_same_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    values, where = rng.random((30, 5)), rng.random((30, 5)) < 0.8
    units = resample_weights(rng.integers(0, 4, 30))
    together = mean_intervals(values, units, where=where)
    changes = difference_intervals(values - 0.5, units, where=where[:, 0])
    for i in range(5):
        alone = mean_interval(values[:, i], units, where=where[:, i])
        assert (together[i].low, together[i].high) == pytest.approx((alone.low, alone.high))
        change = difference_interval(values[:, i] - 0.5, units, where=where[:, 0])
        assert (changes[i].low, changes[i].high) == pytest.approx((change.low, change.high))


@pytest.mark.parametrize(
    ("tasks", "runs", "k", "a", "b"), [(361, 10, 5, 0.1, 2), (361, 10, 5, 0.3, 3), (100, 10, 3, 0.3, 3)]
)
def test_a_rare_pass_of_k_of_more_runs_is_covered(tasks: int, runs: int, k: int, a: float, b: float) -> None:
    """Many tasks with tiny values once passed for much information: 89 to 93 % covered, bounds missed by 15 %."""
    studies, rng = 600, np.random.default_rng(5)
    truth = float(np.prod((a + np.arange(k)) / (a + b + np.arange(k))))
    c = rng.binomial(runs, rng.beta(a, b, (tasks, studies)))
    values = pass_hat(c.ravel(), runs, k).reshape(c.shape)
    units = one_stratum(tasks)
    for mirrored in (False, True):
        columns, target = (1 - values, 1 - truth) if mirrored else (values, truth)
        both, one_sided = (mean_intervals(columns, units, level=level) for level in (0.95, 0.9))
        assert np.mean([i.low <= target <= i.high for i in both]) > 0.935
        for missed in ([i.high < target for i in one_sided], [i.low > target for i in one_sided]):
            assert np.mean(missed) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


def test_values_of_zero_and_one_count_as_before() -> None:
    """With k = n the number of tasks that carry a rate is the number of ones."""
    flags = np.repeat([1.0, 0.0], [2, 98])
    interval = mean_interval(flags, one_stratum(100))
    assert (interval.low, interval.high) == pytest.approx((0.00355, 0.0701), abs=2e-3)


def test_more_confidence_is_wider_and_the_method_is_named() -> None:
    values = np.arange(30) % 4 / 3
    units = one_stratum(30)
    narrow, wide = (mean_interval(values, units, level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert (wide.level, narrow.level) == (0.99, 0.8)
    assert narrow.method.startswith("Wilson score interval")
    assert "Rao-Wu, closed form" in narrow.method
    assert difference_interval(values, units).method.startswith("Tango score interval")


def test_bad_values_are_refused_with_the_task_named() -> None:
    units = one_stratum(3)
    with pytest.raises(InputError, match=r"task 1: 1.5 is not in \[0, 1\]"):
        mean_interval([0.5, 1.5, 0.2], units)
    with pytest.raises(InputError, match="task 2: nan is not in"):
        mean_interval([0.5, 0.5, np.nan], units)
    with pytest.raises(InputError, match=r"task 0: -2.0 is not in \[-1, 1\]"):
        difference_interval([-2.0, 0.5, 0], units)
    with pytest.raises(InputError, match=r"one row per task \(3\)"):
        mean_interval([0.5], units)
    with pytest.raises(InputError, match="no task takes part"):
        mean_interval([0.5, 0.5, 0.5], units, where=[False] * 3)
    with pytest.raises(InputError, match="where has shape"):
        mean_interval([0.5, 0.5, 0.5], units, where=[True] * 2)
    with pytest.raises(InputError, match="level = 95"):
        mean_interval([0.5, 0.5, 0.5], units, level=95)
    with pytest.raises(InputError, match="4 successes of 3"):
        wilson(4, 3)
