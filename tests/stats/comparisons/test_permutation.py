from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.stats.comparisons.permutation import within_task_permutation
from trueline.stats.pass_rates.pass_k import pass_hat


@st.composite
def small_study(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int], int]:
    tasks = draw(st.integers(1, 3))
    n1 = draw(st.lists(st.integers(1, 3), min_size=tasks, max_size=tasks))
    n2 = draw(st.lists(st.integers(1, 3), min_size=tasks, max_size=tasks))
    c1 = [draw(st.integers(0, n)) for n in n1]
    c2 = [draw(st.integers(0, n)) for n in n2]
    return c1, n1, c2, n2, draw(st.integers(1, min(n1 + n2)))


def changes_by_dealing(c: int, n1: int, n2: int, k: int) -> list[float]:
    """Change of Pass^k of one task for every way to deal its runs to the two settings."""
    runs = [1] * c + [0] * (n1 + n2 - c)
    dealt = [sum(runs[i] for i in chosen) for chosen in combinations(range(n1 + n2), n1)]
    return [float(pass_hat([c - x], n2, k)[0] - pass_hat([x], n1, k)[0]) for x in dealt]


@given(small_study())
@settings(deadline=None, max_examples=60)
def test_exact_p_is_the_share_of_all_deals(study: tuple[list[int], list[int], list[int], list[int], int]) -> None:
    c1, n1, c2, n2, k = study
    per_task = [changes_by_dealing(a + b, m, n, k) for a, m, b, n in zip(c1, n1, c2, n2, strict=True)]
    everything = np.array([abs(sum(changes)) for changes in product(*per_task)])
    result = within_task_permutation(c1, n1, c2, n2, k)
    observed = abs(result.difference) * len(c1)
    assert result.exact
    assert result.p == pytest.approx(np.mean(everything >= observed - 1e-9))
    assert result.difference == pytest.approx(np.mean(pass_hat(c2, n2, k) - pass_hat(c1, n1, k)))


def test_one_undecided_task_of_three_and_three_runs() -> None:
    result = within_task_permutation([0, 3, 0], 3, [3, 3, 0], 3, 3)
    assert (result.tasks, result.undecided, result.k) == (3, 1, 3)
    assert result.p == pytest.approx(2 / 20)
    assert result.method == "within-task permutation test of Pass^3 (exact)"


def test_tasks_that_always_or_never_succeed_cannot_differ() -> None:
    assert within_task_permutation([3, 0], 3, [5, 0], 5, 2).p == 1


@pytest.mark.full
def test_uneven_run_counts_fall_back_to_seeded_dealing() -> None:
    rng = np.random.default_rng(1)
    tasks = 300
    n1, n2 = rng.choice([7, 8, 9, 11, 13], tasks), rng.choice([5, 7, 9, 11], tasks)
    chance = rng.random(tasks)
    c1, c2 = rng.binomial(n1, chance), rng.binomial(n2, np.clip(chance + 0.01, 0, 1))
    result = within_task_permutation(c1, n1, c2, n2, 1, seed=3)
    assert not result.exact
    assert result == within_task_permutation(c1, n1, c2, n2, 1, seed=3)
    dealt = rng.hypergeometric(c1 + c2, n1 + n2 - c1 - c2, n1, size=(20_000, tasks))
    sums = np.abs(((c1 + c2 - dealt) / n2 - dealt / n1).mean(axis=1))
    shuffled = np.mean(sums >= abs(result.difference) - 1e-12)
    assert 0.005 < result.p < 0.6
    assert result.p == pytest.approx(shuffled, abs=5 * np.sqrt(shuffled / 20_000))


def test_a_whole_suite_is_exact() -> None:
    rng = np.random.default_rng(2)
    chance = rng.beta(0.4, 0.3, 361)
    c1, c2 = rng.binomial(3, chance), rng.binomial(3, chance)
    assert within_task_permutation(c1, 3, c2, 3, 1).exact
    assert within_task_permutation(c1, 3, rng.binomial(5, chance), 5, 3).exact


def test_many_runs_per_task_do_not_overflow() -> None:
    result = within_task_permutation([98, 99], 100, [100, 100], 100, 50)
    # Two failures of one task and one of the other: the chance that all of them fall to the same setting.
    assert result.difference == pytest.approx(1 - (comb(98, 50) + comb(99, 50)) / 2 / comb(100, 50))
    assert result.p == pytest.approx(2 * (100 * 99 / (200 * 199)) * (100 / 200), rel=1e-9)
    assert within_task_permutation([60] * 40, 100, [66] * 40, 90, 40).p < 0.05


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="same tasks, got 1 and 2"):
        within_task_permutation([1], 3, [1, 2], 3, 1)
    with pytest.raises(InputError, match="k = 3 needs at least 3 runs"):
        within_task_permutation([1], 3, [1], 2, 3)
    with pytest.raises(InputError, match="no tasks"):
        within_task_permutation([], 3, [], 3, 1)
