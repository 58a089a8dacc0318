"""How likely a study of attack success is to see a change, by simulation; the unit is the host task.

Every cell (host task, vector, goal) has its own chance that the injection achieves its goal. On the probit scale it is
the sum of what the host adds and what the cell adds, so that episodes of one host are alike, and those of one cell more
so. A simulated study plays both settings over the same cells and applies the test of `trueline metrics`: signs of the
change flipped by host. With fewer hosts than that test needs, nothing is detected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from trueline.errors import InputError
from trueline.stats.attacks.inference import FEWEST_HOSTS
from trueline.stats.power.design import Chance, Needed, fewest

FloatArray = npt.NDArray[np.float64]

MOST_HOSTS = 2000
MOST_CELLS = 200
MOST_REPEATS = 64
_ALL_FLIPS = 11
_FLIPS = 1999
_CHUNK = 2_000_000


@dataclass(frozen=True)
class AttackDesign:
    """A study of attack success to be planned.

    Raises:
        InputError: Fewer than one host, cell or repeat, more than can be simulated, or a rate outside [0, 1].
    """

    hosts: int
    cells: int
    """Cells of each host: vectors x goals."""
    repeats: int
    base: float
    new: float
    rho: float = 0.5
    """Correlation of two episodes of one cell."""
    rho_host: float = 0.25
    """Correlation of two episodes of one host in different cells."""
    link: float = 1.0
    """Correlation of a cell's ease in the two settings."""
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, number, most in (
            ("hosts", self.hosts, MOST_HOSTS),
            ("goals x vectors", self.cells, MOST_CELLS),
            ("repeats", self.repeats, MOST_REPEATS),
        ):
            if not 1 <= number <= most:
                raise InputError(f"{name} = {number}: must be from 1 to {most}")
        for name, value in (("base", self.base), ("new", self.new), ("link", self.link)):
            if not 0 <= value <= 1:
                raise InputError(f"{name} = {value}: must be between 0 and 1")
        if not 0 <= self.rho_host <= self.rho < 1:
            raise InputError(
                f"rho = {self.rho}, rho of a host = {self.rho_host}: 0 <= rho of a host <= rho < 1; episodes of one "
                "cell are at least as alike as those of one host"
            )
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha = {self.alpha}: must be between 0 and 1")


def attack_chance(design: AttackDesign, *, studies: int, seed: int) -> Chance:
    """The share of simulated studies in which the test sees the change from `base` to `new`."""
    if design.hosts < FEWEST_HOSTS:
        return Chance(0.0, 0.0, studies)
    rng = np.random.default_rng(seed)
    seen, left = 0, studies
    step = max(1, _CHUNK // (design.hosts * design.cells))
    flips = _flips(design.hosts)
    while left > 0:
        number = min(step, left)
        changes = _simulate(design, number, rng)
        p = _p_values(changes, flips)
        direction = np.sign(changes.sum(axis=1))
        wanted = np.sign(design.new - design.base)
        seen += int(np.count_nonzero((p < design.alpha) & ((direction == wanted) | (wanted == 0))))
        left -= number
    value = seen / studies
    return Chance(value, sqrt(value * (1 - value) / studies), studies)


def smallest_attack_change(design: AttackDesign, *, direction: int, wanted: float, studies: int, seed: int) -> Needed:
    """The smallest rise (+1) or fall (-1) of attack success that is seen with the wanted chance."""
    room = 1 - design.base if direction > 0 else design.base

    def chance(change: float, seed: int) -> Chance:
        new = min(max(design.base + direction * change, 0.0), 1.0)
        return attack_chance(replace(design, new=new), studies=studies, seed=seed)

    if room == 0 or chance(room, seed).value < wanted:
        side = "rise" if direction > 0 else "fall"
        return Needed(None, None, f"not even a {side} to {1 if direction > 0 else 0} is seen {wanted:.0%} of the time")
    low, high = 0.0, room
    while high - low > 0.002:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle, seed).value >= wanted else (middle, high)
    return Needed(high, chance(high, seed + 1))


def hosts_needed(design: AttackDesign, *, wanted: float, studies: int, seed: int) -> Needed:
    """The fewest host tasks that see the change with the wanted chance."""
    return _needed(design, "hosts", FEWEST_HOSTS, MOST_HOSTS // 4, "host tasks", wanted, studies, seed)


def goals_needed(design: AttackDesign, *, wanted: float, studies: int, seed: int) -> Needed:
    """The fewest cells of each host that see the change with the wanted chance."""
    return _needed(design, "cells", 1, 32, "cells per host", wanted, studies, seed)


def attack_repeats_needed(design: AttackDesign, *, wanted: float, studies: int, seed: int) -> Needed:
    """The fewest repeats of each cell that see the change with the wanted chance."""
    return _needed(design, "repeats", 1, 32, "repeats", wanted, studies, seed)


def _needed(
    design: AttackDesign, field: str, least: int, most: int, what: str, wanted: float, studies: int, seed: int
) -> Needed:
    def chance(number: int, seed: int) -> Chance:
        return attack_chance(replace(design, **{field: number}), studies=studies, seed=seed)

    return fewest(chance, least, most, what, wanted, seed)


def latent_correlation(rate: float, rho: float) -> float:
    """The correlation on the probit scale that gives yes/no outcomes of this rate the correlation `rho`."""
    if rho == 0 or rate in (0, 1):
        return rho
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _outcome_correlation(rate, middle) < rho else (low, middle)
    return (low + high) / 2


def _outcome_correlation(rate: float, latent: float) -> float:
    nodes, weights = _quadrature()
    chances = ndtr((ndtri(rate) + sqrt(latent) * nodes) / sqrt(1 - latent))
    return float((weights @ chances**2 - rate**2) / (rate * (1 - rate)))


@lru_cache(1)
def _quadrature() -> tuple[FloatArray, FloatArray]:
    # A fine grid rather than Gauss-Hermite: with much correlation the chances are all but a step.
    nodes = np.linspace(-8, 8, 4001)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def _simulate(design: AttackDesign, studies: int, rng: np.random.Generator) -> FloatArray:
    """Change of the rate of every host (column) in every study (row)."""
    middle = min(max((design.base + design.new) / 2, 0.001), 0.999)
    cell, host = (latent_correlation(middle, rho) for rho in (design.rho, design.rho_host))
    cell = min(max(cell, host), 1 - 1e-9)
    shape = (studies, design.hosts, design.cells)

    def pair(size: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        first = rng.standard_normal(size)
        return first, design.link * first + sqrt(1 - design.link**2) * rng.standard_normal(size)

    hosts, cells = pair((studies, design.hosts, 1)), pair(shape)
    rates: list[FloatArray] = []
    for rate, of_host, of_cell in zip((design.base, design.new), hosts, cells, strict=True):
        level = float(ndtri(min(max(rate, 1e-12), 1 - 1e-12)))
        ease = level + sqrt(host) * of_host + sqrt(cell - host) * of_cell
        chance: FloatArray = ndtr(ease / sqrt(1 - cell))
        achieved = np.asarray(rng.binomial(design.repeats, chance), np.float64)
        rates.append(achieved.sum(axis=2) / (design.repeats * design.cells))
    return rates[1] - rates[0]


def _flips(hosts: int) -> FloatArray:
    """All ways to flip signs, or as many random ones as tell whether p is below a usual level; the first is none."""
    if hosts <= _ALL_FLIPS:
        return np.array(list(product((1.0, -1.0), repeat=hosts)), np.float64).T
    signs = np.random.default_rng(0).integers(2, size=(hosts, _FLIPS + 1)).astype(np.float64) * 2 - 1
    signs[:, 0] = 1
    return signs


def _p_values(changes: FloatArray, flips: FloatArray) -> FloatArray:
    observed = np.abs(changes.sum(axis=1))[:, None]
    p = np.empty(len(changes))
    step = max(1, _CHUNK // flips.shape[1])
    for start in range(0, len(changes), step):
        part = slice(start, start + step)
        p[part] = np.mean(np.abs(changes[part] @ flips) >= observed[part] - 1e-9, axis=1)
    return p
