from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from trueline.errors import InputError
from trueline.stats.pass_rates.suite_intervals import NotIdentified
from trueline.stats.power.fit import Fit, fit_difficulty


def fitted(c: object, n: object) -> Fit:
    fit = fit_difficulty(np.asarray(c), np.asarray(n))
    assert isinstance(fit, Fit)
    return fit


@pytest.mark.parametrize("seed", range(5))
def test_fit_is_the_maximum_of_the_beta_binomial_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 6, 120)
    c = rng.binomial(n, rng.beta(rng.uniform(0.2, 2), rng.uniform(0.2, 2), 120))

    def loss(x: np.ndarray) -> float:
        mean, rho = 1 / (1 + np.exp(-x))
        return -float(stats.betabinom.logpmf(c, n, mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)).sum())

    best = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    mean, rho = 1 / (1 + np.exp(-best.x))
    fit = fitted(c, n)
    assert (fit.difficulty.mean, fit.difficulty.rho) == pytest.approx((mean, rho), abs=1e-4)
    assert fit.rho_low < fit.difficulty.rho < fit.rho_high
    assert (fit.tasks, fit.runs) == (120, n.sum())


@pytest.mark.full
def test_interval_of_rho_holds_it_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(300):
        fit = fitted(rng.binomial(3, rng.beta(0.6, 0.4, 100)), 3)
        held += fit.rho_low <= 0.5 <= fit.rho_high
    assert 0.91 < held / 300 < 0.99


def test_runs_no_more_alike_than_chance_have_no_correlation() -> None:
    fit = fitted([1, 1, 2, 2, 1, 2, 1, 2], 3)
    assert fit.difficulty.rho == fit.rho_low == 0
    assert fit.difficulty.mean == pytest.approx(0.5, abs=1e-9)


def test_tasks_that_always_or_never_succeed_are_as_unlike_as_can_be() -> None:
    fit = fitted([3] * 40 + [0] * 60, 3)
    assert fit.difficulty.mean == pytest.approx(0.4, abs=1e-3)
    assert fit.difficulty.rho > 0.99
    assert 0.9 < fit.rho_low < fit.rho_high


def test_what_the_counts_cannot_tell_is_said() -> None:
    for c, n, said in (
        ([1, 0, 1], 1, "one run per task"),
        ([3, 3], 3, "every run succeeded"),
        ([0, 0], 3, "run failed"),
    ):
        answer = fit_difficulty(c, n)
        assert isinstance(answer, NotIdentified)
        assert said in answer.reason


def test_no_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="no tasks"):
        fit_difficulty([], 3)
