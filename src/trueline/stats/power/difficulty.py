"""How hard tasks are: the chance of success of a task, spread over tasks as a beta distribution.

`mean` is the chance of a task drawn at random (Pass^1). `rho` is the correlation of two runs of the same task: 0 when
all tasks are equally hard, 1 when each is always or never solved. With shape a + b = 1 / rho - 1 the number of
successes of a task is beta-binomial.

Two settings over the same tasks: each task has a latent ease, standard normal over tasks, and its chance in a setting
is the quantile of that setting's beta distribution at this ease. `link` is the correlation of the ease in the two
settings; at 1 both put the tasks in the same order of difficulty and the rates and rho determine everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtr, ndtri

from trueline.errors import InputError

FloatArray = npt.NDArray[np.float64]

_EASE = np.linspace(-8, 8, 6401)
_POINTS = 2000  # quadrature over the ease of a task
_POINTS_2D = 500


@dataclass(frozen=True)
class Difficulty:
    """A beta distribution of the chance of success over tasks.

    Raises:
        InputError: `mean` or `rho` is not in [0, 1].
    """

    mean: float
    rho: float

    def __post_init__(self) -> None:
        for name, value in (("mean", self.mean), ("rho", self.rho)):
            if not 0 <= value <= 1:
                raise InputError(f"{name} = {value}: it must lie between 0 and 1")

    def pass_hat(self, k: int) -> float:
        """Pass^k of this distribution: the mean of the k-th power of the chance."""
        if self.rho == 1:
            return self.mean
        extra = self.rho / (1 - self.rho)
        steps = np.arange(k) * extra
        return float(np.prod((self.mean + steps) / (1 + steps)))

    def at(self, ease: FloatArray) -> FloatArray:
        """Chance of success of tasks of the given latent ease."""
        if self.rho == 0 or self.mean in (0, 1):
            return np.full(np.shape(ease), self.mean)
        if self.rho == 1:
            return np.where(ease > ndtri(1 - self.mean), 1.0, 0.0)
        return np.interp(ease, _EASE, _quantiles(self.mean, self.rho))


def with_pass_hat(value: float, k: int, rho: float) -> Difficulty:
    """The distribution of correlation `rho` whose Pass^k is `value`."""
    if not 0 <= value <= 1:
        raise InputError(f"Pass^{k} = {value}: it must lie between 0 and 1")
    if k == 1:
        return Difficulty(value, rho)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if Difficulty(middle, rho).pass_hat(k) < value else (low, middle)
    return Difficulty((low + high) / 2, rho)


def joint_counts(base: Difficulty, new: Difficulty, repeats: int, link: float = 1.0) -> FloatArray:
    """Chance that a task has i successes in the base setting and j in the new one, each of `repeats` runs."""
    if not 0 <= link <= 1:
        raise InputError(f"link = {link}: it must lie between 0 and 1")
    if link == 1:
        ease = _grid(_POINTS)
        later = _binomial(new.at(ease), repeats)
    else:
        ease = _grid(_POINTS_2D)
        shifted = link * ease[:, None] + np.sqrt(1 - link * link) * ease
        later = _binomial(new.at(shifted), repeats).mean(axis=1)
    table = _binomial(base.at(ease), repeats).T @ later
    return table / table.sum()


def _binomial(p: FloatArray, n: int) -> FloatArray:
    """Chances of 0 … n successes, as a last axis."""
    counts = np.arange(n + 1)
    ways = np.array([float(comb(n, i)) for i in range(n + 1)])
    return ways * p[..., None] ** counts * (1 - p[..., None]) ** (n - counts)


def _grid(points: int) -> FloatArray:
    quantiles: FloatArray = ndtri((np.arange(points) + 0.5) / points)
    return quantiles


@lru_cache(maxsize=64)
def _quantiles(mean: float, rho: float) -> FloatArray:
    total = 1 / rho - 1
    values: FloatArray = betaincinv(mean * total, (1 - mean) * total, ndtr(_EASE))
    return values
