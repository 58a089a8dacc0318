from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.stats.comparisons.sign_flip import cluster_sums, sign_flip

SCORES = st.lists(st.integers(-9, 9), min_size=1, max_size=10)


@given(SCORES)
@settings(deadline=None)
def test_exact_p_is_the_share_of_all_sign_flips(scores: list[int]) -> None:
    sums = [
        abs(sum(s * x for s, x in zip(signs, scores, strict=True))) for signs in product((-1, 1), repeat=len(scores))
    ]
    observed = abs(sum(scores))
    result = sign_flip(np.array(scores))
    assert result.exact
    assert result.p == pytest.approx(np.mean([x >= observed for x in sums]))
    assert result.p_point == pytest.approx(np.mean([x == observed for x in sums]))


def test_nothing_to_flip_gives_one() -> None:
    assert sign_flip(np.array([0, 0])).p == 1
    assert sign_flip(np.array([], np.int64)).p == 1


def test_tiny_p_values_are_not_rounded_to_zero() -> None:
    assert sign_flip(np.ones(200, np.int64)).p == pytest.approx(2.0**-199, rel=1e-12)


def test_large_scores_fall_back_to_seeded_monte_carlo_near_the_exact_value() -> None:
    rng = np.random.default_rng(1)
    small = rng.integers(1, 30, 60) * np.where(np.arange(60) < 36, 1, -1)
    # The same ratios on a lattice too fine for the exact distribution.
    large = small * 1_000_003 + rng.integers(-1, 2, 60)
    exact, sampled = sign_flip(small), sign_flip(large, seed=5)
    assert exact.exact and not sampled.exact
    assert 0.001 < exact.p < 0.5
    assert sampled.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p / 20_000) + 0.005)
    assert sampled == sign_flip(large, seed=5)
    assert "20000 random sign flips, seed 5" in sampled.text


def test_scores_of_a_cluster_are_added_up() -> None:
    assert cluster_sums(np.array([1, -2, 4]), ["b", "a", "b"]).tolist() == [-2, 5]
    assert cluster_sums(np.array([1, -2]), None).tolist() == [1, -2]
    with pytest.raises(InputError, match="one entry per task"):
        cluster_sums(np.array([1, -2]), ["a"])
