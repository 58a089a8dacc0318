from __future__ import annotations

import numpy as np
import pytest

from trueline.errors import InputError
from trueline.stats.comparisons.noninferiority import noninferiority
from trueline.stats.intervals import difference_interval
from trueline.stats.resample import resample_weights


def test_the_bound_decides() -> None:
    change = np.zeros(361)
    change[:6], change[6:10] = -1, 1
    units = resample_weights(np.arange(361) % 10)
    generous, strict = (noninferiority(change, units, margin=margin) for margin in (0.05, 0.01))
    assert generous.difference == pytest.approx(-2 / 361)
    assert generous.bound == strict.bound == difference_interval(change, units, level=0.9).low
    assert -0.05 < generous.bound < -0.01
    assert generous.passed and not strict.passed
    assert generous.method.startswith("lower 95% bound, Tango score interval")


def test_few_tasks_without_any_change_do_not_prove_a_small_margin() -> None:
    units = resample_weights(np.zeros(36))
    assert not noninferiority(np.zeros(36), units, margin=0.03).passed
    assert noninferiority(np.zeros(361), resample_weights(np.zeros(361)), margin=0.03).passed


def test_units_left_out_take_no_part() -> None:
    change = np.array([0.0] * 50 + [np.nan] * 50)
    result = noninferiority(change, resample_weights(np.zeros(100)), margin=0.1, where=~np.isnan(change))
    assert result.difference == 0
    assert result.passed


@pytest.mark.full
def test_one_sided_bounds_hold_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    units = resample_weights(np.zeros(100))
    change = rng.choice([-1, 0, 1], p=[0.15, 0.75, 0.1], size=(100, 1000))
    wrong = sum(noninferiority(column, units, margin=0.05).passed for column in change.T)
    assert wrong / 1000 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)
    better = rng.choice([-1, 0, 1], p=[0.05, 0.8, 0.15], size=(100, 200))
    assert np.mean([noninferiority(column, units, margin=0.05).passed for column in better.T]) > 0.8


@pytest.mark.parametrize(("margin", "level"), [(-0.1, 0.95), (float("nan"), 0.95), (0.1, 0.3), (0.1, 1.0)])
def test_bad_input_is_refused(margin: float, level: float) -> None:
    with pytest.raises(InputError, match=r"margin|level"):
        noninferiority([0.0, 0.0], resample_weights([0, 0]), margin=margin, level=level)
