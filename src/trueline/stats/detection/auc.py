"""The area under the ROC curve of scores whose units come in clusters.

The interval is Obuchowski's (1997): the structural components of the area are summed by cluster, so that steps of one
task, which are alike, do not count as so many independent ones. It is made on the logit scale and so stays within 0 and
1; where all pairs are ordered, Wilson's interval of as many clusters takes its place.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from trueline.stats.detection.scores import Rate
from trueline.stats.intervals import Interval, wilson

FloatArray = npt.NDArray[np.float64]


def area(scores: npt.ArrayLike, positive: npt.ArrayLike, clusters: npt.ArrayLike, *, level: float = 0.95) -> Rate:
    """The chance that a positive unit has a higher score than a negative one; ties count half.

    Args:
        scores: One number per unit.
        positive: Whether it is a positive one.
        clusters: What it belongs to; units of different clusters are independent.
        level: Of the interval.
    """
    values, flags = np.asarray(scores, np.float64), np.asarray(positive, np.bool_)
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    m, n = int(np.count_nonzero(flags)), int(np.count_nonzero(~flags))
    if m == 0 or n == 0:
        return Rate(None)
    above, below = _components(values, flags)
    found = float(above.mean())
    groups = int(codes.max()) + 1
    by_positive = _sums(above - found, codes[flags], groups)
    by_negative = _sums(below - found, codes[~flags], groups)
    with_positive, with_negative = len(np.unique(codes[flags])), len(np.unique(codes[~flags]))
    if min(with_positive, with_negative) < 2:
        return Rate(found)
    variance = (
        _inflate(with_positive) * float(by_positive @ by_positive) / m**2
        + _inflate(with_negative) * float(by_negative @ by_negative) / n**2
        + 2 * _inflate(groups) * float(by_positive @ by_negative) / (m * n)
    )
    method = f"Obuchowski's interval of {groups} clusters"
    if not 0 < found < 1:
        few = min(with_positive, with_negative)
        ends = wilson(round(found * few), few, level)
        return Rate(found, Interval(ends.low, ends.high, level, f"Wilson's interval of {few} clusters"))
    half = float(ndtri((1 + level) / 2)) * sqrt(max(variance, 0.0)) / (found * (1 - found))
    middle = log(found / (1 - found))
    low, high = (1 / (1 + exp(-(middle + side * half))) for side in (-1, 1))
    return Rate(found, Interval(low, high, level, method))


def _components(values: FloatArray, flags: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """For each positive unit the share of negatives below it, and for each negative that of positives above it."""
    positives, negatives = np.sort(values[flags]), np.sort(values[~flags])
    return _share_below(values[flags], negatives), 1 - _share_below(values[~flags], positives)


def _share_below(values: FloatArray, others: FloatArray) -> FloatArray:
    """The share of sorted others that lies below each value; equal ones count half."""
    below = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
    return below / (2 * len(others))


def _sums(values: FloatArray, codes: npt.NDArray[np.intp], groups: int) -> FloatArray:
    sums = np.zeros(groups)
    np.add.at(sums, codes, values)
    return sums


def _inflate(clusters: int) -> float:
    return clusters / (clusters - 1)
