"""Wilcoxon's signed-rank test on the change of the number of successes per task.

Zeros are dropped and ties share their mean rank. Up to 50 changed tasks the p value comes from the exact distribution
of the rank sum with these ties; above, from the normal approximation with tie correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from trueline.errors import InputError
from trueline.stats.comparisons.sign_flip import cluster_sums, sign_flip

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

EXACT_LIMIT = 50


@dataclass(frozen=True)
class Wilcoxon:
    """The signed-rank test of paired changes."""

    p: float
    statistic: float
    """The smaller of the rank sums of gains and losses."""
    nonzero: int
    """Tasks that changed."""
    method: str
    clusters: int | None
    """Clusters in which something changed, when tasks were not taken as independent."""


def wilcoxon(d: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None, seed: int = 0) -> Wilcoxon:
    """Test that changes are symmetric about zero.

    Args:
        d: Change of each task, a whole number.
        clusters: Tasks with the same label are not independent: their ranks are flipped together. With every task in
            a cluster of its own the result is that of the plain test.
        seed: For the Monte Carlo test that stands in where exact enumeration over clusters takes too long.

    Raises:
        InputError: Changes are not whole numbers, or lengths differ.
    """
    change = np.asarray(d)
    if change.ndim != 1 or not np.issubdtype(change.dtype, np.integer):
        raise InputError("the changes must be one whole number per task")
    doubled = _doubled_signed_ranks(change.astype(np.int64))
    gains, losses = int(doubled[doubled > 0].sum()), -int(doubled[doubled < 0].sum())
    nonzero = int(np.count_nonzero(doubled))
    statistic = min(gains, losses) / 2
    sums = cluster_sums(doubled, clusters)
    if len(sums) < len(doubled):
        flips = sign_flip(sums, seed=seed)
        text = f"signed ranks flipped by cluster ({flips.text})"
        return Wilcoxon(flips.p, statistic, nonzero, text, int(np.count_nonzero(sums)))
    if nonzero == 0:
        return Wilcoxon(1.0, statistic, 0, "no task changed", None)
    if nonzero <= EXACT_LIMIT:
        return Wilcoxon(sign_flip(doubled).p, statistic, nonzero, f"exact, {nonzero} nonzero differences", None)
    p = float(_normal_p(np.array([float(gains - losses)]), np.array([np.sum(doubled.astype(np.float64) ** 2)]))[0])
    text = f"normal approximation with tie correction, {nonzero} nonzero differences"
    return Wilcoxon(p, statistic, nonzero, text, None)


def wilcoxon_decisions(gains: IntArray, losses: IntArray, alpha: float) -> IntArray:
    """What `wilcoxon` decides at level alpha, for many studies at once: 1 for more, -1 for less, 0 for neither.

    Args:
        gains: Tasks per study (row) and size of change (column, ascending) that gained.
        losses: The same for those that lost.
        alpha: Level of the test.
    """
    tied = gains + losses
    ranks = 2 * np.cumsum(tied, axis=1) - tied + 1  # doubled mean ranks
    distance = np.sum(ranks * (gains - losses), axis=1)
    spread = np.sum(ranks.astype(np.float64) ** 2 * tied, axis=1)
    nonzero = tied.sum(axis=1)
    p = _normal_p(distance.astype(np.float64), np.where(nonzero > 0, spread, 1.0))
    # Far from alpha the exact test decides like its approximation; near it, and for few changes, it is asked.
    unclear = (nonzero <= EXACT_LIMIT) & ((p > alpha / 10) | (nonzero < 10)) & (p < alpha * 3)
    rows, inverse = np.unique(np.hstack([gains, losses])[unclear], axis=0, return_inverse=True)
    if len(rows):
        half = gains.shape[1]
        exact = [_exact_p_of_counts(row[:half], row[half:]) for row in rows]
        p[unclear] = np.array(exact)[inverse]
    return np.sign(distance) * ((p < alpha) & (nonzero > 0))


def _exact_p_of_counts(gains: IntArray, losses: IntArray) -> float:
    sizes = np.arange(1, len(gains) + 1)
    change = np.concatenate([np.repeat(sizes, gains), np.repeat(-sizes, losses)])
    return sign_flip(_doubled_signed_ranks(change)).p


def _doubled_signed_ranks(d: IntArray) -> IntArray:
    """Twice the mean rank of |d| among the nonzero ones, with the sign of d; zero for zeros."""
    sizes, where, tied = np.unique(np.abs(d), return_inverse=True, return_counts=True)
    tied = np.where(sizes == 0, 0, tied)
    doubled = np.where(sizes == 0, 0, 2 * np.cumsum(tied) - tied + 1)
    return doubled[where] * np.sign(d)


def _normal_p(distance: FloatArray, spread: FloatArray) -> FloatArray:
    """Two-sided p of a sum of independent ± terms with the given sum of squares."""
    tail: FloatArray = ndtr(-np.abs(distance) / np.sqrt(spread))
    return 2 * tail
