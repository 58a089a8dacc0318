"""Confidence intervals of rates and of paired differences.

Both are score intervals: Wilson's for a mean of values in [0, 1], Tango's for a mean of paired differences. The
sampling variance is that of the bootstrap over tasks; its ratio to the variance that as many independent yes/no tasks
would have (the design effect) widens or narrows the interval. Percentile intervals of the same bootstrap miss the true
Pass^3 far too often when few tasks are reliable (58 % of the time at 36 tasks and Pass^3 = 0.015), and
collapse to a point when all tasks agree; score intervals do neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv, ndtri

from trueline.errors import InputError
from trueline.stats.resample import Resample

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_STEPS = 45  # halvings of [-1, 1]: endpoints to 1e-13


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, eq=False)
class _Sample:
    """Values of units prepared for an interval, one column per figure."""

    values: FloatArray
    """The values, zero where a unit takes no part."""
    where: BoolArray
    n: FloatArray
    """Units that take part."""
    mean: FloatArray
    variance: FloatArray
    """Bootstrap variance of the mean."""
    prior: FloatArray
    """Units per cluster: the design effect when nothing varies."""


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion of independent trials.

    Raises:
        InputError: Not 0 <= successes <= n with n >= 1, or a level outside (0, 1).
    """
    if n < 1 or not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n} is not possible")
    low, high = _wilson(np.array([successes / n]), np.array([float(n)]), _z(level))
    return Interval(float(low[0]), float(high[0]), level, "Wilson score interval, tasks as independent trials")


def mean_interval(
    values: npt.ArrayLike, resample: Resample, *, where: npt.ArrayLike | None = None, level: float = 0.95
) -> Interval:
    """Interval of the mean of per-task values in [0, 1], such as those of `pass_hat`. See `mean_intervals`."""
    return mean_intervals(_column(values), resample, where=_where_column(where), level=level)[0]


def difference_interval(
    differences: npt.ArrayLike, resample: Resample, *, where: npt.ArrayLike | None = None, level: float = 0.95
) -> Interval:
    """Interval of the mean of paired per-task differences in [-1, 1]. See `difference_intervals`."""
    return difference_intervals(_column(differences), resample, where=_where_column(where), level=level)[0]


def mean_intervals(
    values: npt.ArrayLike, resample: Resample, *, where: npt.ArrayLike | None = None, level: float = 0.95
) -> list[Interval]:
    """Intervals of the means of many columns of per-task values in [0, 1], with one set of draws.

    Args:
        values: One row per unit of `resample`, one column per figure.
        resample: The draws over the units.
        where: Which units take part (a domain, the tasks with all runs scored); same shape as values, or one column
            for all. Values elsewhere are not looked at.
        level: Two-sided confidence.

    Raises:
        InputError: A value is not in [0, 1], shapes differ, or no unit takes part.
    """
    sample = _sample(values, resample, where, 0.0)
    above = resample.largest_by_cluster(sample.values)
    below = resample.largest_by_cluster(np.where(sample.where, 1 - sample.values, 0.0))
    reference = sample.mean * (1 - sample.mean) / sample.n
    # Many small values can hide how rare large ones are: a task counts by its value, so that 100 tasks with a value of
    # 0.01 make their observed variance no more credible than one task with 1.
    effect = _design_effect(sample, reference, np.minimum(above.sum(axis=0), below.sum(axis=0)))
    z = _z(level)
    low, high = _wilson(sample.mean, sample.n / effect, z)
    low = _few_tasks_low(low, sample.mean, _effective_number(above), level)
    high = 1 - _few_tasks_low(1 - high, 1 - sample.mean, _effective_number(below), level)
    return _intervals(low, high, level, f"Wilson score interval with the design effect of a {resample.text}")


def difference_intervals(
    differences: npt.ArrayLike, resample: Resample, *, where: npt.ArrayLike | None = None, level: float = 0.95
) -> list[Interval]:
    """Intervals of the means of many columns of paired differences in [-1, 1], with one set of draws.

    Tango's interval is for changes of 0 and ±1. Here a change counts in units of the typical size of a change, taken
    as the root mean square of the changes seen and one more of size 1.
    Args and errors are those of `mean_intervals`.
    """
    sample = _sample(differences, resample, where, -1.0)
    changed = sample.where & (sample.values != 0)
    squares = np.sum(sample.values**2, axis=0)
    # In clusters of alike units a change is seen several times but counts once.
    size = np.sqrt((squares + sample.prior) / (np.count_nonzero(changed, axis=0) + sample.prior))
    centre = np.clip(sample.mean / size, -1, 1)
    rate = np.clip(squares / sample.n / size**2, np.abs(centre), 1)
    reference = (rate - centre**2) * size**2 / sample.n
    effect = _design_effect(sample, reference, _clusters_with(resample, changed))
    low, high = _tango(centre, rate, sample.n / effect, _z(level))
    low, high = np.maximum(low * size, -1), np.minimum(high * size, 1)
    return _intervals(low, high, level, f"Tango score interval with the design effect of a {resample.text}")


def _wilson(mean: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(mean * (1 - mean) / n + (z / (2 * n)) ** 2)
    return np.where(mean > 0, np.maximum(centre - half, 0), 0.0), np.where(mean < 1, np.minimum(centre + half, 1), 1.0)


def _few_tasks_low(low: FloatArray, mean: FloatArray, tasks: FloatArray, level: float) -> FloatArray:
    """Lower bounds where one to three tasks carry the whole mean: Wilson's is too high there.

    The bound of Brown, Cai and DasGupta takes their number as a Poisson count.
    """
    few = (tasks >= 1 - 1e-9) & (tasks <= 3.5)
    count = np.where(few, tasks, 1.0)
    poisson: FloatArray = gammaincinv(count, 1 - level)
    return np.where(few, np.minimum(low, mean * poisson / count), low)


def _tango(centre: FloatArray, rate: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Invert Tango's score test of a difference: `rate` of the tasks changed, gains minus losses is `centre`."""
    gains, losses = (rate + centre) / 2, (rate - centre) / 2

    def inside(delta: FloatArray) -> BoolArray:
        # The share of losses most likely under a difference of delta solves 2x² + bx + c = 0.
        b = -gains - losses + (2 - gains + losses) * delta
        c = -losses * delta * (1 - delta)
        lost = (-b + np.sqrt(np.maximum(b * b - 8 * c, 0))) / 4
        return (centre - delta) ** 2 <= z * z * np.maximum(2 * lost + delta * (1 - delta), 0) / n

    def bound(side: float) -> FloatArray:
        within, beyond = centre.copy(), np.full_like(centre, side)
        for _ in range(_STEPS):
            middle = (within + beyond) / 2
            keep = inside(middle)
            within, beyond = np.where(keep, middle, within), np.where(keep, beyond, middle)
        return within

    return bound(-1.0), bound(1.0)


def _design_effect(sample: _Sample, reference: FloatArray, informative: FloatArray) -> FloatArray:
    """Variance of the mean over that of independent yes/no tasks, drawn towards the prior with the weight of one task.

    Few informative tasks say little about the variance, and none say nothing.
    """
    safe = np.where(reference > 0, reference, 1.0)
    observed = np.where(reference > 0, sample.variance / safe, sample.prior)
    return (informative * observed + sample.prior) / (informative + 1)


def _effective_number(values: FloatArray) -> FloatArray:
    """How many equal values would carry a sum as these do, per column; of zeros and ones the number of ones."""
    squares = np.sum(values**2, axis=0)
    return np.sum(values, axis=0) ** 2 / np.where(squares > 0, squares, 1.0)


def _clusters_with(resample: Resample, units: BoolArray) -> FloatArray:
    """Clusters with at least one of the given units, per column."""
    return np.count_nonzero(resample.by_cluster(units.astype(np.float64)), axis=0).astype(np.float64)


def _sample(values: npt.ArrayLike, resample: Resample, where: npt.ArrayLike | None, lowest: float) -> _Sample:
    array = np.asarray(values, np.float64)
    if array.ndim != 2 or len(array) != resample.units:
        raise InputError(f"values must have one row per task ({resample.units}), got shape {array.shape}")
    mask = np.ones(array.shape, np.bool_) if where is None else np.asarray(where, np.bool_)
    if mask.ndim == 1:
        mask = mask[:, None]
    try:
        mask = np.broadcast_to(mask, array.shape)
    except ValueError:
        raise InputError(f"where has shape {mask.shape}, values have shape {array.shape}") from None
    n = np.count_nonzero(mask, axis=0).astype(np.float64)
    if not np.all(n):
        raise InputError("no task takes part in the mean")
    outside = mask & ~((array >= lowest - 1e-12) & (array <= 1 + 1e-12))
    if np.any(outside):
        row, column = (int(i) for i in np.argwhere(outside)[0])
        raise InputError(f"task {row}: {array[row, column]} is not in [{lowest:g}, 1]")
    array = np.where(mask, np.clip(array, lowest, 1.0), 0.0)
    mean = array.sum(axis=0) / n
    variance = resample.variance(np.where(mask, array - mean, 0.0) / n)
    prior = n / _clusters_with(resample, mask)
    return _Sample(array, mask, n, mean, variance, prior)


def _intervals(low: FloatArray, high: FloatArray, level: float, method: str) -> list[Interval]:
    return [Interval(float(a), float(b), level, method) for a, b in zip(low, high, strict=True)]


def _column(values: npt.ArrayLike) -> FloatArray:
    return np.asarray(values, np.float64).reshape(-1, 1)


def _where_column(where: npt.ArrayLike | None) -> BoolArray | None:
    return None if where is None else np.asarray(where, np.bool_).reshape(-1, 1)


def _z(level: float) -> float:
    if not 0 < level < 1:
        raise InputError(f"level = {level}: must be between 0 and 1")
    return float(ndtri((1 + level) / 2))
