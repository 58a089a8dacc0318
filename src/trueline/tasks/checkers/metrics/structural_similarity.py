"""The structural similarity of two images (Wang et al. 2004), computed as scikit-image does by default."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

WINDOW = 7
"""Side of the square that slides over the images; none may be smaller."""
_RANGE = 255.0
_C1, _C2 = (0.01 * _RANGE) ** 2, (0.03 * _RANGE) ** 2
_SAMPLE = WINDOW**2 / (WINDOW**2 - 1)
"""From the variance of a window to that of a sample."""
Pixels = NDArray[np.uint8]


def structural_similarity(first: Pixels, second: Pixels) -> float:
    """From -1 to 1; the mean over the channels, if there are any.

    Args:
        first: Grey values, or channels in the last dimension.
        second: The same shape; no side is shorter than `WINDOW`.
    """
    if first.ndim == 2:
        return _one_channel(first, second)
    values = [_one_channel(first[..., channel], second[..., channel]) for channel in range(first.shape[2])]
    return float(np.mean(values))


def _one_channel(first: Pixels, second: Pixels) -> float:
    uniform = cast("Callable[..., Any]", importlib.import_module("scipy.ndimage").uniform_filter)
    x, y = first.astype(np.float64), second.astype(np.float64)
    mean_x, mean_y = uniform(x, WINDOW), uniform(y, WINDOW)
    var_x = _SAMPLE * (uniform(x * x, WINDOW) - mean_x * mean_x)
    var_y = _SAMPLE * (uniform(y * y, WINDOW) - mean_y * mean_y)
    covariance = _SAMPLE * (uniform(x * y, WINDOW) - mean_x * mean_y)
    above = (2 * mean_x * mean_y + _C1) * (2 * covariance + _C2)
    below = (mean_x**2 + mean_y**2 + _C1) * (var_x + var_y + _C2)
    edge = (WINDOW - 1) // 2
    return float((above / below)[edge:-edge, edge:-edge].mean(dtype=np.float64))
