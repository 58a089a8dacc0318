from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueline.errors import InputError
from trueline.stats.comparisons.wilcoxon import wilcoxon, wilcoxon_decisions


def scipy_wilcoxon(d: np.ndarray, method: str) -> tuple[float, float]:
    statistic, p = tuple(stats.wilcoxon(d.astype(float), correction=False, method=method))
    return float(statistic), float(p)


CHANGES = st.lists(st.integers(-3, 3), min_size=1, max_size=10)


@given(CHANGES.filter(any))
@settings(deadline=None, max_examples=60)
def test_exact_p_is_that_of_full_enumeration_with_ties(d: list[int]) -> None:
    nonzero = np.array([x for x in d if x], float)
    ranks = stats.rankdata(np.abs(nonzero))
    flipped = np.abs(np.array(list(product((-1, 1), repeat=len(ranks)))) @ ranks)
    ours = wilcoxon(d)
    assert ours.p == pytest.approx(np.mean(flipped >= abs(np.sign(nonzero) @ ranks)))
    assert ours.nonzero == len(nonzero)
    assert ours.method == f"exact, {len(nonzero)} nonzero differences"
    assert ours.statistic == min(ranks[nonzero > 0].sum(), ranks[nonzero < 0].sum())


def test_exact_p_is_the_tabulated_one_without_ties() -> None:
    rng = np.random.default_rng(1)
    for n in (8, 20, 50):
        d = rng.permutation(np.arange(1, n + 1)) * np.where(rng.random(n) < 0.7, 1, -1)
        assert wilcoxon(d).p == pytest.approx(scipy_wilcoxon(d, method="exact")[1])


@given(st.lists(st.sampled_from([-3, -2, -1, 1, 2, 3]), min_size=51, max_size=400), st.integers(0, 50))
@settings(deadline=None, max_examples=50)
def test_above_fifty_changes_it_is_the_tie_corrected_normal_approximation(d: list[int], zeros: int) -> None:
    ours = wilcoxon(d + [0] * zeros)
    statistic, p = scipy_wilcoxon(np.array(d), method="approx")
    assert ours.p == pytest.approx(p, rel=1e-9)
    assert ours.statistic == statistic
    assert ours.method == f"normal approximation with tie correction, {len(d)} nonzero differences"


def test_no_change_at_all_gives_one() -> None:
    nothing = wilcoxon([0, 0, 0])
    assert (nothing.p, nothing.statistic, nothing.nonzero, nothing.method) == (1.0, 0.0, 0, "no task changed")


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=70))
@settings(deadline=None, max_examples=50)
def test_singleton_clusters_are_the_plain_test(d: list[int]) -> None:
    assert wilcoxon(d, clusters=[f"t{i}" for i in range(len(d))]) == wilcoxon(d)


def test_alike_tasks_in_one_cluster_count_once() -> None:
    d = np.array([1, 2, 3, 3, 2, -1, 1, 2])
    twice = wilcoxon(np.repeat(d, 2), clusters=np.repeat(np.arange(8), 2))
    assert twice.p == pytest.approx(wilcoxon(d).p)
    assert twice.clusters == 8
    assert twice.p > 10 * wilcoxon(np.repeat(d, 2)).p


def test_clusters_that_all_moved_one_way_have_the_p_of_their_number() -> None:
    d, hosts = [1, 2, 1, 3, 1, 2, 1, 1, 3, 2, 2, 1], [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]
    assert wilcoxon(d, clusters=hosts).p == pytest.approx(2 / 2**5)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("most", [3, 12, 40])
def test_decisions_over_many_studies_are_those_of_single_tests(alpha: float, most: int) -> None:
    rng = np.random.default_rng(most)
    tilt = rng.random((300, 1))
    total = rng.integers(0, most, (300, 3))
    gains = rng.binomial(total, tilt)
    decided = wilcoxon_decisions(gains, total - gains, alpha)
    sizes = np.array([1, 2, 3])
    for i in range(300):
        d = np.concatenate([np.repeat(sizes, gains[i]), np.repeat(-sizes, (total - gains)[i])])
        direction = np.sign(stats.rankdata(np.abs(d)) @ np.sign(d))
        assert decided[i] == (direction if wilcoxon(d).p < alpha else 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="whole number"):
        wilcoxon([0.5, 1.0])
    with pytest.raises(InputError, match="one entry per task"):
        wilcoxon([1, 2], clusters=[1])
