"""Intervals about these tasks only: the runs are the randomness, the tasks are not a sample."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from trueline.errors import InputError
from trueline.stats.intervals import Interval
from trueline.stats.pass_rates.pass_k import checked_counts, pass_hat

METHOD = "normal interval of the run noise within tasks, with one more task that failed once added to the variance"


@dataclass(frozen=True)
class NotIdentified:
    """A figure that these data cannot give."""

    reason: str


def suite_interval(c: npt.ArrayLike, n: npt.ArrayLike, k: int, *, level: float = 0.95) -> Interval | NotIdentified:
    """Interval of Pass^k of exactly these tasks under new runs.

    Args:
        c: Successes of each task.
        n: Runs of each task, one number for all or one per task.
        k: Runs that must all succeed; the noise is known only when every task has at least 2k runs.
        level: Two-sided confidence.

    Raises:
        InputError: What `pass_hat` refuses, or no tasks.
    """
    variance = run_variance(c, n, k)
    if isinstance(variance, NotIdentified):
        return variance
    return _around(float(pass_hat(c, n, k).mean()), variance, 0.0, level)


def suite_difference_interval(
    base: npt.ArrayLike,
    base_runs: npt.ArrayLike,
    new: npt.ArrayLike,
    new_runs: npt.ArrayLike,
    k: int,
    *,
    level: float = 0.95,
) -> Interval | NotIdentified:
    """Interval of Pass^k of new minus base, of exactly these tasks under new runs. See `suite_interval`."""
    before, after = run_variance(base, base_runs, k), run_variance(new, new_runs, k)
    if np.size(base) != np.size(new):
        raise InputError(f"both settings must have the same tasks, got {np.size(base)} and {np.size(new)}")
    if isinstance(before, NotIdentified):
        return before
    if isinstance(after, NotIdentified):
        return after
    difference = float(np.mean(pass_hat(new, new_runs, k) - pass_hat(base, base_runs, k)))
    return _around(difference, before + after, -1.0, level)


def run_variance(c: npt.ArrayLike, n: npt.ArrayLike, k: int) -> float | NotIdentified:
    """Variance of the mean of C(c, k) / C(n, k) that comes from the runs.

    For one task it is the square of that value less the unbiased estimate C(c, 2k) / C(n, 2k) of p^2k. A task that
    failed in one of its runs has k²/n²; one such task more is counted, so that tasks which happened to agree over
    their few runs do not make the result certain.
    """
    successes, runs = checked_counts(c, n)
    if successes.size == 0:
        raise InputError("no tasks to average")
    values = pass_hat(successes, runs, k)
    fewest = int(runs.min())
    if fewest < 2 * k:
        have = f"every task has {fewest}" if fewest == runs.max() else f"one has {fewest}"
        return NotIdentified(f"the run noise of Pass^{k} cannot be told from fewer than {2 * k} runs per task; {have}")
    within = float(np.sum(values**2 - pass_hat(successes, runs, 2 * k)))
    return (within + (k / fewest) ** 2) / len(successes) ** 2


def _around(centre: float, variance: float, lowest: float, level: float) -> Interval:
    if not 0 < level < 1:
        raise InputError(f"level = {level}: a confidence level lies between 0 and 1")
    half = float(ndtri((1 + level) / 2)) * sqrt(variance)
    return Interval(max(centre - half, lowest), min(centre + half, 1.0), level, METHOD)
