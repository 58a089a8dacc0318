"""Several tests at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError


def holm(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Holm's step-down adjusted p values of one declared family, in the order given.

    Rejecting where the adjusted p is below alpha keeps the chance of any false rejection at alpha.

    Raises:
        InputError: A p value is not in [0, 1].
    """
    values = np.asarray(p, np.float64)
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        raise InputError("p values must be a list of numbers between 0 and 1")
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0) if len(values) else stepped
    return adjusted
