"""Is the new setting at most a margin worse than the base?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.stats.comparisons.unequal_runs import FigureChange
from trueline.stats.resample import Resample


@dataclass(frozen=True)
class NonInferiority:
    """A one-sided comparison with a margin."""

    passed: bool
    """The lower bound lies above minus the margin."""
    difference: float
    """Mean of new minus base."""
    bound: float
    """Lower one-sided confidence bound of the difference."""
    margin: float
    level: float
    """One-sided confidence."""
    method: str


def noninferiority(
    change: FigureChange | npt.ArrayLike,
    resample: Resample,
    *,
    margin: float,
    where: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> NonInferiority:
    """Decide from paired per-task differences (new minus base, in [-1, 1]) whether the loss is below the margin.

    Args:
        change: One per unit of `resample`, with the comparison over equal numbers of runs where they differ.
        resample: The draws over the units.
        margin: The loss that would not matter, at least 0. At 0 the question is whether new is better.
        where: Which units take part.
        level: One-sided confidence of the bound.

    Raises:
        InputError: A negative margin, or what `difference_interval` refuses.
    """
    if not margin >= 0:
        raise InputError(f"margin = {margin}: must not be negative")
    if not 0.5 < level < 1:
        raise InputError(f"level = {level}: must be between 0.5 and 1, one-sided")
    paired = change if isinstance(change, FigureChange) else FigureChange(np.asarray(change, np.float64))
    interval = paired.interval(resample, where=where, level=2 * level - 1)
    values = paired.values
    mean = float(np.mean(values if where is None else values[np.asarray(where, np.bool_)]))
    return NonInferiority(
        passed=interval.low > -margin,
        difference=mean,
        bound=interval.low,
        margin=margin,
        level=level,
        method=f"lower {level:.0%} bound, {interval.method}",
    )
