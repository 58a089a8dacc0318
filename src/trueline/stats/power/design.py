"""How likely a study is to see a change, by simulation.

The chance that a task has i successes before and j after follows from the difficulty of tasks (see `difficulty`), so a
simulated study is one multinomial draw; the test of `trueline metrics` is then applied to it. Tasks are taken as
independent. A change is seen when the test rejects at `alpha` in the direction of the change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb, sqrt

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.stats.comparisons.mcnemar import mcnemar_p
from trueline.stats.comparisons.sign_flip import sign_flip_decisions
from trueline.stats.comparisons.wilcoxon import wilcoxon_decisions
from trueline.stats.power.difficulty import joint_counts, with_pass_hat

FloatArray = npt.NDArray[np.float64]

STUDIES = 4000
MOST_TASKS = 50_000
MOST_REPEATS = 64


@dataclass(frozen=True)
class Design:
    """A study to be planned. Rates are values of Pass^k.

    Raises:
        InputError: Fewer than one task, fewer repeats than k, or a rate outside [0, 1].
    """

    tasks: int
    repeats: int
    k: int
    base: float
    new: float
    rho: float
    """How alike the runs of a task are (see `Difficulty`)."""
    link: float = 1.0
    """Correlation of the ease of a task before and after: below 1 the change helps some tasks and hurts others."""
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.tasks < 1:
            raise InputError(f"tasks = {self.tasks}: must be at least 1")
        if not 1 <= self.k <= self.repeats:
            raise InputError(f"Pass^{self.k} needs at least {self.k} repeats, got {self.repeats}")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha = {self.alpha}: must be between 0 and 1")
        for name, value in (("base", self.base), ("new", self.new), ("rho", self.rho), ("link", self.link)):
            if not 0 <= value <= 1:
                raise InputError(f"{name} = {value}: must be between 0 and 1")

    @property
    def test(self) -> str:
        """The test whose power is simulated."""
        if self.k == self.repeats:
            return "McNemar, exact"
        if self.k == 1:
            return "Wilcoxon signed-rank on the change of successes"
        return f"permutation test of Pass^{self.k}, signs flipped per task"


@dataclass(frozen=True)
class Chance:
    """A simulated chance with its Monte Carlo standard error."""

    value: float
    error: float
    studies: int


@dataclass(frozen=True)
class Needed:
    """The smallest value that reaches the wanted power; `None` with a reason if none does."""

    value: float | None
    chance: Chance | None
    """The power at that value, from a fresh simulation."""
    reason: str = ""


def chance_to_see(design: Design, *, studies: int = STUDIES, seed: int = 0) -> Chance:
    """The share of simulated studies in which the test sees the change from `base` to `new`."""
    return _chance(_Changes.from_design(design), design, studies, seed)


def smallest_change(
    design: Design, *, wanted: float = 0.8, direction: int = 1, studies: int = STUDIES, seed: int = 0
) -> Needed:
    """The smallest change of the rate, up (+1) or down (-1), that is seen with the wanted chance."""
    room = 1 - design.base if direction > 0 else design.base

    def chance(change: float) -> Chance:
        return chance_to_see(replace(design, new=_clip(design.base + direction * change)), studies=studies, seed=seed)

    if room == 0 or chance(room).value < wanted:
        side = "rise" if direction > 0 else "fall"
        return Needed(None, None, f"not even a {side} to {1 if direction > 0 else 0} is seen {wanted:.0%} of the time")
    low, high = 0.0, room
    while high - low > 0.0005:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle).value >= wanted else (middle, high)
    found = replace(design, new=_clip(design.base + direction * high))
    return Needed(high, chance_to_see(found, studies=studies, seed=seed + 1))


def tasks_needed(design: Design, *, wanted: float = 0.8, studies: int = STUDIES, seed: int = 0) -> Needed:
    """The fewest tasks that see the change with the wanted chance."""
    changes = _Changes.from_design(design)

    def chance(tasks: int, seed: int) -> Chance:
        return _chance(changes, replace(design, tasks=tasks), studies, seed)

    return fewest(chance, 1, MOST_TASKS, "tasks", wanted, seed)


def repeats_needed(design: Design, *, wanted: float = 0.8, studies: int = STUDIES, seed: int = 0) -> Needed:
    """The fewest repeats of each task that see the change with the wanted chance."""

    def chance(repeats: int, seed: int) -> Chance:
        return chance_to_see(replace(design, repeats=repeats), studies=studies, seed=seed)

    return fewest(chance, design.k, MOST_REPEATS, "repeats", wanted, seed)


@dataclass(frozen=True)
class Sensitivity:
    """The power of a design under one assumption about the tasks."""

    rho: float
    link: float
    chance: Chance
    smallest: Needed


def sensitivity(
    design: Design,
    *,
    rhos: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8),
    links: tuple[float, ...] = (1.0, 0.9),
    wanted: float = 0.8,
    studies: int = STUDIES,
    seed: int = 0,
) -> list[Sensitivity]:
    """The same rates under several assumptions about the tasks, because two rates alone do not settle them."""
    direction = 1 if design.new >= design.base else -1
    rows: list[Sensitivity] = []
    for rho in rhos:
        for link in links:
            varied = replace(design, rho=rho, link=link)
            seen = chance_to_see(varied, studies=studies, seed=seed)
            least = smallest_change(varied, wanted=wanted, direction=direction, studies=studies, seed=seed)
            rows.append(Sensitivity(rho, link, seen, least))
    return rows


@dataclass(frozen=True, eq=False)
class _Changes:
    """Chances that a task gains or loses each size of change of C(successes, k), smallest size first."""

    sizes: npt.NDArray[np.int64]
    gains: FloatArray
    losses: FloatArray

    @staticmethod
    def from_design(design: Design) -> _Changes:
        base = with_pass_hat(design.base, design.k, design.rho)
        new = with_pass_hat(design.new, design.k, design.rho)
        table = joint_counts(base, new, design.repeats, design.link)
        score = np.array([comb(c, design.k) for c in range(design.repeats + 1)])
        change = score - score[:, None]
        sizes, where = np.unique(np.abs(change), return_inverse=True)
        where = where.reshape(change.shape)

        def total(mask: npt.NDArray[np.bool_]) -> FloatArray:
            return np.bincount(where[mask], weights=table[mask], minlength=len(sizes))[1:].astype(np.float64)

        return _Changes(sizes[1:], total(change > 0), total(change < 0))


def _chance(changes: _Changes, design: Design, studies: int, seed: int) -> Chance:
    rng = np.random.default_rng(seed)
    sizes = len(changes.gains)
    moved = np.concatenate([changes.gains, changes.losses])
    drawn = rng.multinomial(design.tasks, np.append(moved, max(0.0, 1 - moved.sum())), size=studies).astype(np.int64)
    gains, losses = drawn[:, :sizes], drawn[:, sizes : 2 * sizes]
    if 1 < design.k < design.repeats:
        decided = sign_flip_decisions(changes.sizes, gains, losses, design.alpha)
    elif sizes == 1:
        b, c = gains[:, 0], losses[:, 0]
        decided = np.sign(b - c) * (mcnemar_p(b, c) < design.alpha)
    else:
        decided = wilcoxon_decisions(gains, losses, design.alpha)
    seen = decided != 0 if design.new == design.base else decided == np.sign(design.new - design.base)
    value = float(seen.mean())
    return Chance(value, sqrt(value * (1 - value) / studies), studies)


def fewest(chance: Callable[[int, int], Chance], least: int, most: int, what: str, wanted: float, seed: int) -> Needed:
    """Find the smallest number whose chance (of a number and a seed) is as wanted; the chance grows with it.

    But for the steps of a discrete test, which may find one a little larger.
    """
    low, high = least - 1, least
    while chance(high, seed).value < wanted:
        if high == most:
            return Needed(None, None, f"{most} {what} do not see it {wanted:.0%} of the time")
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle, seed).value >= wanted else (middle, high)
    return Needed(high, chance(high, seed + 1))


def _clip(rate: float) -> float:
    return min(max(rate, 0.0), 1.0)
