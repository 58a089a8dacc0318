from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueline.errors import InputError
from trueline.stats.power.difficulty import Difficulty, joint_counts, with_pass_hat

MEANS, RHOS = st.floats(0.02, 0.98), st.floats(0.02, 0.95)


def beta(mean: float, rho: float) -> tuple[float, float]:
    return mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)


@given(MEANS, RHOS, st.integers(1, 10))
@settings(deadline=None)
def test_pass_hat_is_the_moment_of_the_beta_distribution(mean: float, rho: float, k: int) -> None:
    assert Difficulty(mean, rho).pass_hat(k) == pytest.approx(stats.betabinom.pmf(k, k, *beta(mean, rho)))


@given(MEANS, st.floats(0, 1), st.integers(1, 6))
@settings(deadline=None)
def test_a_rate_is_turned_into_the_difficulty_that_has_it(value: float, rho: float, k: int) -> None:
    assert with_pass_hat(value, k, rho).pass_hat(k) == pytest.approx(value, abs=1e-9)


@given(MEANS, RHOS, st.floats(-3, 3))
@settings(deadline=None, max_examples=50)
def test_chance_at_an_ease_is_the_quantile(mean: float, rho: float, ease: float) -> None:
    expected = stats.beta.ppf(stats.norm.cdf(ease), *beta(mean, rho))
    assert Difficulty(mean, rho).at(np.array([ease]))[0] == pytest.approx(expected, abs=2e-5)


def test_extremes_of_heterogeneity() -> None:
    ease = np.array([-1.0, 0.2, 1.0])
    assert Difficulty(0.3, 0).at(ease).tolist() == [0.3, 0.3, 0.3]
    assert Difficulty(0.3, 1).at(ease).tolist() == [0, 0, 1]
    assert Difficulty(1, 0.5).at(ease).tolist() == [1, 1, 1]
    assert Difficulty(0.3, 0).pass_hat(3) == pytest.approx(0.027)
    assert Difficulty(0.3, 1).pass_hat(3) == 0.3


@pytest.mark.parametrize("link", [1.0, 0.8, 0.0])
@pytest.mark.parametrize("rho", [0.05, 0.5, 0.9])
def test_joint_counts_have_beta_binomial_margins(rho: float, link: float) -> None:
    table = joint_counts(Difficulty(0.4, rho), Difficulty(0.55, rho), 3, link)
    counts = np.arange(4)
    assert table.sum(axis=1) == pytest.approx(stats.betabinom.pmf(counts, 3, *beta(0.4, rho)), abs=2e-3)
    assert table.sum(axis=0) == pytest.approx(stats.betabinom.pmf(counts, 3, *beta(0.55, rho)), abs=2e-3)


def test_joint_counts_are_independent_without_link_and_closest_with_full_link() -> None:
    base, new = Difficulty(0.4, 0.6), Difficulty(0.5, 0.6)
    apart, together = (joint_counts(base, new, 3, link) for link in (0.0, 1.0))
    assert apart == pytest.approx(np.outer(apart.sum(axis=1), apart.sum(axis=0)), abs=1e-9)
    counts = np.arange(4)

    def correlation(table: np.ndarray) -> float:
        a, b = counts @ table.sum(axis=1), counts @ table.sum(axis=0)
        return float((counts - a) @ table @ (counts - b))

    between = correlation(joint_counts(base, new, 3, 0.8))
    assert correlation(apart) == pytest.approx(0, abs=1e-9)
    assert 0.1 < between < correlation(together) - 0.1


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match=r"mean = 1\.2"):
        Difficulty(1.2, 0.5)
    with pytest.raises(InputError, match="rho = -1"):
        Difficulty(0.5, -1)
    with pytest.raises(InputError, match=r"Pass\^3 = 2"):
        with_pass_hat(2, 3, 0.5)
    with pytest.raises(InputError, match="link = 2"):
        joint_counts(Difficulty(0.5, 0.5), Difficulty(0.5, 0.5), 3, 2)
