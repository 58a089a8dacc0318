"""McNemar's test: did more tasks become reliable than stopped being so?"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from trueline.errors import InputError
from trueline.stats.comparisons.sign_flip import cluster_sums, sign_flip

McNemarMethod = Literal["exact", "midp", "chi2"]


@dataclass(frozen=True)
class McNemar:
    """Tasks that changed, and the chance of so lopsided a change when neither direction is likelier."""

    b: int
    """Tasks that became reliable."""
    c: int
    """Tasks that stopped being reliable."""
    p: float
    statistic: float
    """|b - c|; for chi2 the chi-square value."""
    method: str
    clusters: int | None
    """Clusters in which something changed, when tasks were not taken as independent."""

    @property
    def b_minus_c(self) -> int:
        """Net gain of reliable tasks."""
        return self.b - self.c


def mcnemar(
    base: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    method: McNemarMethod = "exact",
    clusters: npt.ArrayLike | None = None,
    seed: int = 0,
) -> McNemar:
    """Compare two yes/no flags of the same tasks.

    Args:
        base: Whether each task had the property (such as c = n) before.
        new: The same after.
        method: `exact` two-sided binomial; `midp` counts half of the observed outcome, less conservative;
            `chi2` with continuity correction.
        clusters: Tasks with the same label are not independent: their changes are flipped together. With every task
            in a cluster of its own the result is that of the plain test.
        seed: For the Monte Carlo test that stands in where exact enumeration over clusters takes too long.

    Raises:
        InputError: Lengths differ, or the method is unknown.
    """
    if method not in get_args(McNemarMethod):
        raise InputError(f"method = {method}: use one of {', '.join(get_args(McNemarMethod))}")
    before, after = np.asarray(base, np.bool_), np.asarray(new, np.bool_)
    if before.ndim != 1 or before.shape != after.shape:
        raise InputError(f"flags of both settings must be per task, got shapes {before.shape} and {after.shape}")
    change = after.astype(np.int64) - before
    sums = cluster_sums(change, clusters)
    b, c = int(np.count_nonzero(change > 0)), int(np.count_nonzero(change < 0))
    net = abs(int(change.sum()))
    clustered = len(sums) < len(change)
    changed = int(np.count_nonzero(sums)) if clustered else None
    if method == "chi2":
        spread = int(np.sum(sums**2))
        value = max(net - 1, 0) ** 2 / spread if spread else 0.0
        text = "chi-square with continuity correction" + (", variance by cluster" if clustered else "")
        return McNemar(b, c, erfc(sqrt(value / 2)), value, text, changed)
    if not clustered:
        p = float(mcnemar_p(np.array([b]), np.array([c]), midp=method == "midp")[0])
        text = "exact binomial, two-sided" if method == "exact" else "mid-p of the exact binomial, two-sided"
        return McNemar(b, c, p, float(net), text, None)
    flips = sign_flip(sums, seed=seed)
    p = flips.p - flips.p_point / 2 if method == "midp" and net else flips.p
    text = f"sign flips by cluster ({flips.text})" + (", mid-p" if method == "midp" else "")
    return McNemar(b, c, p, float(net), text, changed)


def mcnemar_p(b: npt.NDArray[np.int64], c: npt.NDArray[np.int64], *, midp: bool = False) -> npt.NDArray[np.float64]:
    """Two-sided exact binomial p values of many tables at once; 1 where nothing changed."""
    fewer, changed = np.minimum(b, c), b + c
    some = np.maximum(changed, 1)
    tail: npt.NDArray[np.float64] = bdtr(fewer.astype(np.float64), some, 0.5)
    if midp:
        below: npt.NDArray[np.float64] = bdtr(np.maximum(fewer - 1, 0).astype(np.float64), some, 0.5)
        below = np.where(fewer > 0, below, 0.0)
        tail = (tail + below) / 2
    return np.where(b == c, 1.0, np.minimum(1.0, 2 * tail))
