"""Pass^k and pass@k of tasks that were run several times.

A task with `c` successes in `n` runs passes all of `k` runs drawn from its `n` with chance C(c, k) / C(n, k), and at
least one of them with chance 1 - C(n-c, k) / C(n, k). Both are unbiased for p^k and 1 - (1-p)^k of the task.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Outcomes:
    """How many tasks always, sometimes and never succeeded over their runs."""

    always: int
    sometimes: int
    never: int


def pass_hat(c: npt.ArrayLike, n: npt.ArrayLike, k: int) -> FloatArray:
    """Chance per task that `k` of its runs, drawn without replacement, all succeeded.

    Args:
        c: Successes of each task.
        n: Runs of each task, one number for all or one per task.
        k: Runs that must all succeed.

    Raises:
        InputError: `k` is below 1 or above some task's `n`, or `c` is not within 0..n.
    """
    return _per_pair(c, n, k, lambda c, n: comb(c, k) / comb(n, k))


def pass_at(c: npt.ArrayLike, n: npt.ArrayLike, k: int) -> FloatArray:
    """Chance per task that at least one of `k` of its runs, drawn without replacement, succeeded.

    Args and errors are those of `pass_hat`.
    """
    return _per_pair(c, n, k, lambda c, n: (comb(n, k) - comb(n - c, k)) / comb(n, k))


def outcomes(c: npt.ArrayLike, n: npt.ArrayLike) -> Outcomes:
    """Count the tasks that succeeded in all, some or none of their runs."""
    successes, runs = checked_counts(c, n)
    always = int(np.count_nonzero(successes == runs))
    never = int(np.count_nonzero(successes == 0))
    return Outcomes(always=always, sometimes=len(successes) - always - never, never=never)


def histogram(c: npt.ArrayLike, n: int) -> IntArray:
    """Number of tasks with 0, 1, … n successes."""
    successes, _ = checked_counts(c, n)
    return np.bincount(successes, minlength=n + 1).astype(np.int64)


def checked_counts(c: npt.ArrayLike, n: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Successes and runs as integer arrays of one length.

    Raises:
        InputError: They are not whole numbers, differ in length, or break 0 <= c <= n with n >= 1.
    """
    successes = _whole(c, "successes")
    try:
        runs = np.broadcast_to(_whole(n, "runs"), successes.shape)
    except ValueError:
        raise InputError(
            f"runs and successes must have one entry per task, got {np.size(n)} and {np.size(c)}"
        ) from None
    bad = np.flatnonzero((successes < 0) | (successes > runs) | (runs < 1))
    if bad.size:
        i = int(bad[0])
        raise InputError(f"task {i}: {successes[i]} successes of {runs[i]} runs is not possible")
    return successes, runs


def _whole(values: npt.ArrayLike, what: str) -> IntArray:
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1:
        raise InputError(f"{what} must be one number per task, got an array of shape {array.shape}")
    whole = np.issubdtype(array.dtype, np.integer) or (
        np.issubdtype(array.dtype, np.floating) and bool(np.all(np.isfinite(array) & (array == np.floor(array))))
    )
    if not whole:
        raise InputError(f"{what} must be whole numbers")
    return array.astype(np.int64)


def _per_pair(c: npt.ArrayLike, n: npt.ArrayLike, k: int, value: Callable[[int, int], float]) -> FloatArray:
    """Evaluate `value` once per distinct (c, n), with whole-number binomials and one correctly rounded division."""
    successes, runs = checked_counts(c, n)
    if k < 1:
        raise InputError(f"k = {k}: k must be at least 1")
    if successes.size == 0:
        return np.zeros(0)
    fewest = int(runs.min())
    if k > fewest:
        raise InputError(f"k = {k} needs at least {k} runs of every task, one has {fewest}")
    width = int(runs.max()) + 1
    pairs, where = np.unique(runs * width + successes, return_inverse=True)
    table = np.array([value(int(pair % width), int(pair // width)) for pair in pairs])
    return table[where]
