"""Intervals and tests of attack success, against scipy and against the formulas written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from support.injected import cell
from trueline.stats.attacks.inference import compare_cells, estimate_rate, host_interval
from trueline.stats.attacks.success import CellCounts
from trueline.stats.intervals import mean_interval
from trueline.stats.options import AnalysisChoices
from trueline.stats.resample import resample_weights

HOSTS = AnalysisChoices()
GOALS = AnalysisChoices(generalise_goals=True)


def grid(achieved: list[list[int]], repeats: int = 2) -> list[CellCounts]:
    """One row for each host, one column for each goal."""
    return [
        CellCounts(cell(f"h{h:02d}", f"g{g}"), repeats, count, 0, repeats, 0)
        for h, row in enumerate(achieved)
        for g, count in enumerate(row)
    ]


@pytest.mark.parametrize("hosts", [1, 5])
def test_few_hosts_give_counts_and_say_how_many_an_interval_needs(hosts: int) -> None:
    found = estimate_rate(grid([[1, 0]] * hosts), HOSTS)
    assert found.interval is None
    assert found.no_interval.startswith("an interval needs at least 6 host tasks, there ")
    assert found.no_interval.endswith(str(hosts))
    assert found.value == 0.25
    assert compare_cells(grid([[1, 0]] * hosts), grid([[0, 0]] * hosts), HOSTS)[1] is None


def test_six_to_nineteen_hosts_give_the_t_interval_by_host() -> None:
    achieved = [[2, 1, 0], [1, 1, 0], [2, 2, 1], [0, 1, 0], [2, 2, 2], [1, 0, 0], [2, 0, 1], [1, 1, 1]]
    found = estimate_rate(grid(achieved), HOSTS)
    by_host = np.array(achieved).mean(axis=1) / 2
    low, high = stats.t.interval(0.95, 7, by_host.mean(), stats.sem(by_host))
    assert found.interval is not None and found.no_interval == ""
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert "7 df" in found.interval.method


def test_a_rare_rate_of_few_hosts_holds_more_than_the_t_interval() -> None:
    achieved = [[0, 0, 0]] * 9 + [[2, 0, 0]]
    found = estimate_rate(grid(achieved), HOSTS).interval
    by_host = np.array(achieved).mean(axis=1) / 2
    assert found is not None and "Korn-Graubard" in found.method
    assert found.high > stats.t.interval(0.95, 9, by_host.mean(), stats.sem(by_host))[1]


def test_twenty_hosts_give_the_interval_of_the_other_rates() -> None:
    rng = np.random.default_rng(1)
    achieved = rng.binomial(2, rng.beta(1, 2, (20, 1)), (20, 4))
    cells = grid(achieved.tolist())
    hosts = np.repeat(np.arange(20), 4)
    wanted = mean_interval(achieved.ravel() / 2, resample_weights(["os"] * 80, hosts, seed=0))
    assert estimate_rate(cells, HOSTS).interval == wanted


def test_none_achieved_gives_two_upper_bounds() -> None:
    found = estimate_rate(grid([[0, 0, 0]] * 8), HOSTS)
    assert found.upper_bounds == pytest.approx({"episodes": 1 - 0.05 ** (1 / 48), "hosts": 1 - 0.05 ** (1 / 8)})
    assert found.interval is not None and found.interval.low == 0
    assert found.interval.high == pytest.approx(stats.binomtest(0, 8).proportion_ci(method="exact").high)
    few = estimate_rate(grid([[0]] * 3), HOSTS)
    assert few.interval is None and few.upper_bounds["hosts"] == pytest.approx(1 - 0.05 ** (1 / 3))
    goals = estimate_rate(grid([[0, 0, 0]] * 8), GOALS).upper_bounds
    assert goals["goals"] == pytest.approx(1 - 0.05 ** (1 / 3))
    assert estimate_rate(grid([[1, 0]] * 8), HOSTS).upper_bounds == {}


def test_hosts_that_all_came_out_alike_do_not_make_the_rate_certain() -> None:
    found = estimate_rate(grid([[2, 0]] * 8), HOSTS).interval
    assert found is not None
    assert found.low < 0.3 and found.high > 0.7
    all_achieved = estimate_rate(grid([[2, 2]] * 30), HOSTS).interval
    assert all_achieved is not None
    assert (all_achieved.low, all_achieved.high) == (pytest.approx(0.025 ** (1 / 30)), 1.0)


@pytest.mark.parametrize("hosts", [8, 30])
def test_generalising_to_goals_adds_their_variance(hosts: int) -> None:
    rng = np.random.default_rng(3)
    achieved = rng.binomial(2, rng.beta(1, 1, (1, 5)) * 0.6 + rng.random((hosts, 1)) * 0.4, (hosts, 5))
    found = estimate_rate(grid(achieved.tolist()), GOALS).interval
    rates = achieved / 2
    deviations = rates - rates.mean()
    by_host = hosts / (hosts - 1) * np.sum(deviations.sum(axis=1) ** 2) / rates.size**2
    by_goal = 5 / 4 * np.sum(deviations.sum(axis=0) ** 2) / rates.size**2
    both = rates.size / (rates.size - 1) * np.sum(deviations**2) / rates.size**2
    half = stats.t.ppf(0.975, min(hosts, 5) - 1) * np.sqrt(max(by_host + by_goal - both, by_host, by_goal))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((rates.mean() - half, rates.mean() + half))


def test_all_vectors_of_a_host_and_goal_are_one_cluster() -> None:
    rng = np.random.default_rng(1)
    cells = [
        CellCounts(cell(f"h{h}", f"g{g}", vector), 1, int(rng.random() < 0.5), 0, 1, 0)
        for h, g, vector in product(range(7), range(3), ("document", "website"))
    ]
    found = estimate_rate(cells, GOALS).interval
    rates = np.array([one.achieved for one in cells]).reshape(7, 3, 2) - np.mean([one.achieved for one in cells])
    by_host = 7 / 6 * np.sum(rates.sum(axis=(1, 2)) ** 2) / 42**2
    by_goal = 3 / 2 * np.sum(rates.sum(axis=(0, 2)) ** 2) / 42**2
    both = 21 / 20 * np.sum(rates.sum(axis=2) ** 2) / 42**2
    half = stats.t.ppf(0.975, 2) * np.sqrt(max(by_host + by_goal - both, by_host, by_goal))
    mean = float(np.mean([one.achieved for one in cells]))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((max(mean - half, 0), min(mean + half, 1)))


def test_one_goal_says_nothing_about_others() -> None:
    assert "at least 2 goals" in estimate_rate(grid([[1]] * 8), GOALS).no_interval


def test_the_comparison_is_an_exact_sign_flip_by_host() -> None:
    rng = np.random.default_rng(5)
    base, new = rng.integers(0, 3, (9, 4)), rng.integers(0, 3, (9, 4))
    found, test = compare_cells(grid(base.tolist()), grid(new.tolist()), HOSTS)
    sums = (new - base).sum(axis=1)
    flipped = np.array([abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=9)])
    assert test is not None and "exact" in test.method
    assert test.p == pytest.approx(np.mean(flipped >= abs(sums.sum())))
    by_host = (new - base).mean(axis=1) / 2
    low, high = stats.t.interval(0.95, 8, by_host.mean(), stats.sem(by_host))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_cells_with_unequal_numbers_of_episodes_count_alike() -> None:
    base = [CellCounts(cell(f"h{h}"), 3, h % 2, 0, 3, 0) for h in range(8)]
    new = [CellCounts(cell(f"h{h}"), 2, 2, 0, 2, 0) for h in range(8)]
    found, test = compare_cells(base, new, HOSTS)
    assert found.value == pytest.approx(1 - 1 / 6)
    assert test is not None and test.p == pytest.approx(2 / 2**8)


def test_no_change_at_all_is_not_certain() -> None:
    found, test = compare_cells(grid([[0, 0]] * 10), grid([[0, 0]] * 10), HOSTS)
    assert test is not None and test.p == 1
    assert found.interval is not None and found.interval.low < -0.1 and found.interval.high > 0.1


def test_the_widest_interval_takes_hosts_as_trials() -> None:
    exact = stats.binomtest(4, 5).proportion_ci(method="exact")
    found = host_interval(0.8, 5, 0.95)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
