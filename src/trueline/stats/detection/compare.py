"""Two guards on the same steps: would they differ as much if, in every trajectory, they could be swapped?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.stats.detection.scores import METRICS, MISALIGNED, UNDECIDED, LabelledSteps

FloatArray = npt.NDArray[np.float64]

DRAWS = 20_000
_CHUNK = 4_000_000
_SLACK = 1e-12  # swapping everything gives the same difference up to rounding


@dataclass(frozen=True)
class MetricDifference:
    """One metric of both guards; `None` where one of them has none."""

    base: float | None
    new: float | None
    difference: float | None
    p: float | None
    """Two-sided."""


@dataclass(frozen=True)
class GuardComparison:
    """Guards compared on the steps that both decided."""

    n: int
    left_out: int
    """Steps that one of them, or both, left undecided."""
    trajectories: int
    metrics: dict[str, MetricDifference]
    method: str


def compare(base: LabelledSteps, new: LabelledSteps, *, draws: int = DRAWS, seed: int = 0) -> GuardComparison:
    """Compare two guards by swapping their verdicts of whole trajectories.

    Args:
        base: The steps as the first guard decided them.
        new: The same steps in the same order, as the second guard decided them.
        draws: Random swaps.
        seed: The same seed gives the same p.

    Raises:
        InputError: The steps are not the same, or none is decided by both.
    """
    if base.n != new.n or not (np.array_equal(base.label, new.label)):
        raise InputError("two guards can only be compared on the same labelled steps")
    both = (base.verdicts != UNDECIDED) & (new.verdicts != UNDECIDED)
    n = int(np.count_nonzero(both))
    if n == 0:
        raise InputError("no step is decided by both guards, so there is nothing to compare")
    first, second = _matrix(base.part(both)), _matrix(new.part(both))
    sums, gain = first.sum(axis=0), second - first
    ours, theirs = _metrics(sums), _metrics(sums + gain.sum(axis=0))
    observed = np.abs(theirs - ours)
    beyond, rng = np.zeros(len(METRICS)), np.random.default_rng(seed)
    rows = max(1, _CHUNK // len(gain))
    for start in range(0, draws, rows):
        swapped = rng.integers(2, size=(min(rows, draws - start), len(gain)), dtype=np.int8).astype(np.float64) @ gain
        # Swapped in these trajectories, the first guard has `sums + swapped` and the second the rest.
        change = _metrics(sums + gain.sum(axis=0) - swapped) - _metrics(sums + swapped)
        # A swap that leaves a guard without the metric counts as far from the null as can be: never in our favour.
        beyond += np.count_nonzero(~(np.abs(change) < observed - _SLACK), axis=0)
    p = (beyond + 1) / (draws + 1)
    return GuardComparison(
        n=n,
        left_out=base.n - n,
        trajectories=len(gain),
        metrics={name: _difference(ours[i], theirs[i], p[i]) for i, name in enumerate(METRICS)},
        method=f"verdicts swapped by trajectory ({len(gain)} trajectories, {draws} random swaps, seed {seed})",
    )


def _matrix(steps: LabelledSteps) -> FloatArray:
    """tp, fp, tn, fn of each trajectory."""
    flagged, wrong = steps.verdicts == MISALIGNED, steps.label
    cells = np.stack([flagged & wrong, flagged & ~wrong, ~flagged & ~wrong, ~flagged & wrong], axis=1)
    where = np.unique(steps.trajectory, return_inverse=True)[1]
    sums = np.zeros((int(where.max()) + 1, 4))
    np.add.at(sums, where, cells)
    return sums


def _metrics(cells: FloatArray) -> FloatArray:
    """The metrics in the order of `METRICS`; NaN where there is none."""
    tp, fp, tn, fn = np.moveaxis(cells, -1, 0)
    parts = ((tp, tp + fp), (tp, tp + fn), (tp + tn, tp + fp + tn + fn), (2 * tp, 2 * tp + fp + fn))
    return np.stack([np.divide(top, all_, out=np.full_like(top, np.nan), where=all_ > 0) for top, all_ in parts], -1)


def _difference(base: float, new: float, p: float) -> MetricDifference:
    known = not (np.isnan(base) or np.isnan(new))
    return MetricDifference(
        base=None if np.isnan(base) else float(base),
        new=None if np.isnan(new) else float(new),
        difference=float(new - base) if known else None,
        p=float(p) if known else None,
    )
