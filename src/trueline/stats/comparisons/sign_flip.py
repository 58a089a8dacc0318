"""Sign-flip tests: with no difference, every pair or cluster of pairs could as well have come out reversed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from trueline.errors import InputError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

DRAWS = 20_000
_EXACT_WORK = 100_000_000  # additions the exact distribution may cost: about 0.2 s
_CHUNK = 4_000_000
_FEW = 12  # independent changes up to which a corrected normal distribution is not trusted


@dataclass(frozen=True)
class SignFlip:
    """Where the sum of the scores lies among all sums that flipped signs would give."""

    p: float
    """Two-sided: the chance of a sum at least as far from zero."""
    p_point: float
    """The part of `p` that lies exactly as far from zero (for mid-p values)."""
    exact: bool
    text: str


def sign_flip(scores: IntArray, *, seed: int = 0) -> SignFlip:
    """Test that scores are symmetric about zero, by flipping their signs in every way.

    Args:
        scores: One whole number per independent unit. Zeros are dropped.
        seed: For the Monte Carlo test that is used when the exact distribution would take too long.
    """
    sizes = np.abs(scores[scores != 0])
    if sizes.size == 0:
        return SignFlip(1.0, 1.0, True, "exact, nothing changed")
    sizes = sizes // np.gcd.reduce(sizes)
    observed = abs(int(np.sum(np.sign(scores[scores != 0]) * sizes)))
    total = int(sizes.sum())
    if len(sizes) * (total + 1) <= _EXACT_WORK:
        sums = flip_sums(sizes)
        # Index i holds the sum 2i - total; both tails are alike.
        at_least = (total + observed) // 2
        tail, point = float(sums[at_least:].sum()), float(sums[at_least])
        sides = 2 if observed else 1
        p = min(1.0, sides * tail) if observed else 1.0
        return SignFlip(p, min(p, sides * point), True, "exact, all sign flips")
    return _monte_carlo(sizes, observed, seed)


def sign_flip_decisions(sizes: IntArray, gains: IntArray, losses: IntArray, alpha: float) -> IntArray:
    """What `sign_flip` decides at level alpha, for many studies at once: 1 for more, -1 for less, 0 for neither.

    Args:
        sizes: The sizes that changes can have.
        gains: Tasks per study (row) and size (column) that gained.
        losses: The same for those that lost.
        alpha: Level of the test.
    """
    tied = (gains + losses).astype(np.float64)
    scale = sizes / sizes.max()
    distance = (gains - losses) @ scale
    squares, fourths = tied @ scale**2, tied @ scale**4
    safe = np.where(squares > 0, squares, 1.0)
    z = np.abs(distance) / np.sqrt(safe)
    # Random signs have lighter tails than the normal distribution: Edgeworth's correction by the fourth cumulant.
    excess = -2 * fourths / safe**2
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    p = 2 * (ndtr(-z) + density * excess / 24 * (z**3 - 3 * z))
    independent = squares**2 / np.where(fourths > 0, fourths, 1.0)
    # Far from alpha the exact test decides alike; near it, and for few changes, it is asked.
    unclear = (independent <= _FEW) & (p > alpha / 10) & (p < alpha * 3)
    rows, inverse = np.unique(np.hstack([gains, losses])[unclear], axis=0, return_inverse=True)
    if len(rows):
        signed = np.concatenate([sizes, -sizes])
        p[unclear] = np.array([sign_flip(np.repeat(signed, row)).p for row in rows])[inverse.ravel()]
    return np.sign(distance).astype(np.int64) * ((p < alpha) & (squares > 0))


def flip_sums(sizes: IntArray) -> FloatArray:
    """Chance that a random subset of `sizes` adds up to 0, 1, 2, …"""
    sums = np.zeros(int(sizes.sum()) + 1)
    sums[0] = 1.0
    reached = 0
    for size in np.sort(sizes).tolist():
        sums[: reached + 1] *= 0.5
        # The right side is evaluated before it is added, so each size is used once.
        sums[size : reached + size + 1] += sums[: reached + 1].copy()
        reached += size
    return sums


def cluster_sums(scores: IntArray, clusters: npt.ArrayLike | None) -> IntArray:
    """Sums of the scores of each cluster; without clusters the scores themselves."""
    if clusters is None:
        return scores
    labels, where = np.unique(np.asarray(clusters), return_inverse=True)
    if where.shape != scores.shape:
        raise InputError(f"clusters must have one entry per task, got {where.size} for {scores.size} tasks")
    sums = np.zeros(len(labels), np.int64)
    np.add.at(sums, where, scores)
    return sums


def _monte_carlo(sizes: IntArray, observed: int, seed: int) -> SignFlip:
    rng = np.random.default_rng(seed)
    weights = sizes.astype(np.float64)
    beyond = level = 0
    step = max(1, _CHUNK // len(sizes))
    for start in range(0, DRAWS, step):
        rows = min(step, DRAWS - start)
        signs = rng.integers(2, size=(rows, len(sizes)), dtype=np.int8).astype(np.float64) * 2 - 1
        sums = np.abs(signs @ weights)
        beyond += int(np.count_nonzero(sums >= observed))
        level += int(np.count_nonzero(sums == observed))
    return SignFlip(
        (beyond + 1) / (DRAWS + 1), level / (DRAWS + 1), False, f"Monte Carlo, {DRAWS} random sign flips, seed {seed}"
    )
