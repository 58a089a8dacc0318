"""The strongest of k arms and an attacker with k tries, against enumeration and simulated studies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from support.injected import cell
from trueline.errors import RequestError
from trueline.stats.attacks.adaptive import strongest_arm, success_of_tries
from trueline.stats.attacks.inference import estimate_rate
from trueline.stats.attacks.success import CellCounts
from trueline.stats.options import AnalysisChoices

OPTIONS = AnalysisChoices()


def cells(achieved: list[int], runs: int, vector: str = "document") -> list[CellCounts]:
    """One cell for each host."""
    return [CellCounts(cell(f"h{h:02d}", "g", vector), runs, s, 0, runs, 0) for h, s in enumerate(achieved)]


def test_the_largest_rate_with_the_largest_bounds() -> None:
    arms = {"a": cells([0, 1, 2, 0, 1, 3, 0, 1], 3), "b": cells([1, 1, 2, 3, 1, 3, 0, 2], 3), "c": cells([0] * 8, 3)}
    found = strongest_arm(arms, 3, OPTIONS)
    assert found is not None and found.interval is not None
    assert (found.arm, found.rate) == ("b", pytest.approx(13 / 24))
    strict = AnalysisChoices(level=1 - 0.05 / 3)
    highs = [estimate.high for arm in arms.values() if (estimate := estimate_rate(arm, OPTIONS).interval)]
    lows = [estimate.low for arm in arms.values() if (estimate := estimate_rate(arm, strict).interval)]
    assert (found.interval.low, found.interval.high) == (max(lows), max(highs))


def test_what_was_declared_counts_even_if_it_was_not_measured() -> None:
    arms = {"a": cells([0, 1, 2, 0, 1, 3, 0, 1], 3), "b": cells([1, 1, 2, 3, 1, 3, 0, 2], 3)}
    two, five = strongest_arm(arms, 2, OPTIONS), strongest_arm(arms, 5, OPTIONS)
    assert two and five and two.interval and five.interval
    assert five.interval.low < two.interval.low
    assert five.interval.high == two.interval.high
    with pytest.raises(RequestError, match=r"`worst_of` 1: there are 2 arms"):
        strongest_arm(arms, 1, OPTIONS)


def test_no_interval_where_an_arm_has_none() -> None:
    few = strongest_arm({"a": cells([1, 0], 1), "b": cells([1] * 8, 1)}, 2, OPTIONS)
    assert few is not None and few.interval is None and few.no_interval.startswith("arm a: an interval needs")
    empty = strongest_arm({"a": cells([1] * 8, 1), "b": []}, 2, OPTIONS)
    assert empty is not None and empty.no_interval == "nothing was measured of b"
    assert strongest_arm({"a": []}, 2, OPTIONS) is None


@pytest.mark.parametrize(("runs", "achieved", "k"), [(5, 2, 3), (4, 0, 2), (4, 4, 1), (6, 1, 6), (3, 3, 3)])
def test_tries_are_the_share_of_draws_with_a_success(runs: int, achieved: int, k: int) -> None:
    episodes = [1] * achieved + [0] * (runs - achieved)
    draws = [max(draw) for draw in combinations(episodes, k)]
    found = success_of_tries(cells([achieved], runs), k, OPTIONS).estimate
    assert found is not None and found.value == pytest.approx(np.mean(draws))


def test_one_try_is_the_rate() -> None:
    given = cells([0, 1, 2, 0, 1, 3, 0, 1], 3)
    once = success_of_tries(given, 1, OPTIONS).estimate
    rate = estimate_rate(given, OPTIONS)
    assert once is not None and (once.value, once.interval) == (pytest.approx(rate.value), rate.interval)


def test_cells_with_too_few_episodes_are_left_out() -> None:
    found = success_of_tries([*cells([1] * 7, 2), *cells([1] * 3, 1, "website")], 2, OPTIONS)
    assert found.left_out == 3 and found.estimate is not None and found.estimate.cells == 7
    nothing = success_of_tries(cells([1], 1), 2, OPTIONS)
    assert (nothing.estimate, nothing.left_out) == (None, 1)
    with pytest.raises(RequestError, match="tries"):
        success_of_tries([], 0, OPTIONS)


def coverage(studies: int, hosts: int, runs: int, seed: int) -> tuple[float, float]:
    """How often the intervals hold the truth: of the strongest of 4 arms, and of 3 tries."""
    rng = np.random.default_rng(seed)
    held = np.zeros((studies, 2), bool)
    for study in range(studies):
        base = rng.beta(2, 3, hosts)
        shifts = np.array([0.0, -0.05, -0.1, -0.3])
        chances = np.clip(base[None, :] + shifts[:, None], 0.02, 0.98)
        # The population: the mean of each arm, and of three tries, over all hosts like these.
        many = np.clip(rng.beta(2, 3, 20_000)[None, :] + shifts[:, None], 0.02, 0.98)
        arms = {f"v{a}": cells(rng.binomial(runs, row).tolist(), runs, f"v{a}") for a, row in enumerate(chances)}
        worst = strongest_arm(arms, 4, OPTIONS)
        tries = success_of_tries(arms["v0"], 3, OPTIONS).estimate
        assert worst and worst.interval and tries and tries.interval
        held[study, 0] = worst.interval.low <= many.mean(axis=1).max() <= worst.interval.high
        held[study, 1] = tries.interval.low <= (1 - (1 - many[0]) ** 3).mean() <= tries.interval.high
    first, second = held.mean(axis=0)
    return float(first), float(second)


def test_intervals_hold_the_truth_of_simulated_studies() -> None:
    worst, tries = coverage(120, 12, 4, 1)
    assert worst >= 0.92
    assert tries >= 0.90


@pytest.mark.proof
@pytest.mark.parametrize(("hosts", "runs"), [(8, 3), (16, 5), (30, 4)])
def test_intervals_hold_the_truth_of_many_studies(hosts: int, runs: int) -> None:
    worst, tries = coverage(600, hosts, runs, 2)
    assert worst >= 0.94
    assert tries >= 0.93
