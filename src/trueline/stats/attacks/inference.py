"""Intervals and tests of attack success: host tasks are the sample, vectors and goals a fixed, listed grid.

With 20 host tasks or more the intervals are those of the other rates, clustered by host. With 6 to 19 they are t
intervals of the cluster-robust variance. A t interval of a rare rate misses it far too often (17 % of the time at a
rate of 0.02 and 10 hosts that differ), so where less than three whole hosts' worth of cells achieved or withstood the
goal, it is widened to hold the Korn-Graubard interval as well: Clopper-Pearson's at the effective number of episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, stdtr, stdtrit

from trueline.records.layout import Unit
from trueline.stats.attacks.success import CellCounts
from trueline.stats.comparisons.sign_flip import cluster_sums, sign_flip
from trueline.stats.intervals import Interval, difference_interval, mean_interval
from trueline.stats.options import AnalysisChoices
from trueline.stats.resample import resample_weights

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEWEST_HOSTS = 6
"""With fewer hosts, only counts are reported."""
MANY_HOSTS = 20
"""With this many hosts or more, the methods of the other rates hold."""
_FEW = 3
_EXACT = 1 << 53


@dataclass(frozen=True)
class AttackEstimate:
    """A rate, or a difference of two, with its interval."""

    value: float
    hosts: int
    goals: int
    cells: int
    interval: Interval | None
    no_interval: str
    """Why there is none; empty when there is one."""
    upper_bounds: dict[str, float]
    """One-sided bounds when nothing was achieved, by what is taken as the independent trials; else empty."""


@dataclass(frozen=True)
class AttackTest:
    """A two-sided test of a change of attack success."""

    p: float
    method: str


def estimate_rate(cells: Sequence[CellCounts], options: AnalysisChoices) -> AttackEstimate:
    """Estimate the rate over cells that have a measured episode (`delivered > 0`); there must be at least one."""
    values = np.array([cell.achieved / cell.delivered for cell in cells])
    grid = _Grid.from_units([cell.unit for cell in cells])
    bounds: dict[str, float] = {}
    if not values.any():
        bounds = {"episodes": _none_of(sum(cell.delivered for cell in cells), options.level)}
        bounds["hosts"] = _none_of(grid.hosts, options.level)
        if options.generalise_goals:
            bounds["goals"] = _none_of(grid.goals, options.level)
    reason = too_few(grid.hosts, grid.goals, options)
    interval = None if reason else _rate_interval(values, grid, options)
    mean = float(values.mean())
    return AttackEstimate(mean, grid.hosts, grid.goals, len(cells), interval, reason, bounds)


def estimate_mean(units: Sequence[Unit], values: npt.ArrayLike, options: AnalysisChoices) -> AttackEstimate:
    """Estimate the mean of a figure from 0 to 1 over cells; there must be at least one."""
    array = np.asarray(values, np.float64)
    grid = _Grid.from_units(units)
    reason = too_few(grid.hosts, grid.goals, options)
    interval = None if reason else _rate_interval(array, grid, options)
    return AttackEstimate(float(array.mean()), grid.hosts, grid.goals, len(array), interval, reason, {})


def estimate_difference(units: Sequence[Unit], changes: npt.ArrayLike, options: AnalysisChoices) -> AttackEstimate:
    """Estimate the mean change of the rate over cells measured in both settings; there must be at least one."""
    values = np.asarray(changes, np.float64)
    grid = _Grid.from_units(units)
    reason = too_few(grid.hosts, grid.goals, options)
    interval = None if reason else _difference_interval(values, grid, options)
    return AttackEstimate(float(values.mean()), grid.hosts, grid.goals, len(values), interval, reason, {})


def host_interval(rate: float, hosts: int, level: float) -> Interval:
    """Clopper-Pearson's interval with every host task as one trial: the widest that the data can be given."""
    low, high = _clopper_pearson(rate * hosts, hosts, level)
    return Interval(low, high, level, "Clopper-Pearson interval, n = hosts")


def compare_cells(
    base: Sequence[CellCounts], new: Sequence[CellCounts], options: AnalysisChoices
) -> tuple[AttackEstimate, AttackTest | None]:
    """Compare two settings over the same cells, in the same order; no test where there are too few hosts."""
    units = [cell.unit for cell in base]
    before = np.array([cell.achieved / cell.delivered for cell in base])
    after = np.array([cell.achieved / cell.delivered for cell in new])
    estimate = estimate_difference(units, after - before, options)
    if estimate.interval is None:
        return estimate, None
    grid = _Grid.from_units(units)
    if options.generalise_goals:
        return estimate, _t_test(after - before, grid)
    return estimate, _flip_test(base, new, grid, options.seed)


@dataclass(frozen=True, eq=False)
class _Grid:
    """Which host and goal each cell belongs to."""

    units: tuple[Unit, ...]
    host: IntArray
    goal: IntArray
    both: IntArray

    @staticmethod
    def from_units(units: Sequence[Unit]) -> _Grid:
        host = _codes([unit.host for unit in units])
        goal = _codes([(unit.goal or "",) for unit in units])
        return _Grid(tuple(units), host, goal, _codes(list(zip(host.tolist(), goal.tolist(), strict=True))))

    @property
    def hosts(self) -> int:
        return int(self.host.max()) + 1

    @property
    def goals(self) -> int:
        return int(self.goal.max()) + 1


def _codes(labels: Sequence[tuple[object, ...]]) -> IntArray:
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)


def too_few(hosts: int, goals: int, options: AnalysisChoices) -> str:
    """Why so few host tasks or goals give no interval; empty when they do."""
    if hosts < FEWEST_HOSTS:
        return f"an interval needs at least {FEWEST_HOSTS} host tasks, there {'is' if hosts == 1 else 'are'} {hosts}"
    if options.generalise_goals and goals < 2:
        return "an interval over goals needs at least 2 goals, there is 1"
    return ""


def _rate_interval(values: FloatArray, grid: _Grid, options: AnalysisChoices) -> Interval:
    level, mean = options.level, float(values.mean())
    trials = min(grid.hosts, grid.goals) if options.generalise_goals else grid.hosts
    if mean in (0.0, 1.0):
        low, high = _clopper_pearson(mean * trials, trials, level)
        return Interval(low, high, level, f"Clopper-Pearson interval, n = {trials}")
    if not options.generalise_goals and grid.hosts >= MANY_HOSTS:
        strata = [unit.domain for unit in grid.units]
        return mean_interval(values, resample_weights(strata, grid.host, seed=options.seed), level=level)
    variance, df, method = _variance(values, grid, options)
    if variance <= 1e-18:
        low, high = _clopper_pearson(mean * trials, trials, level)
        return Interval(low, high, level, f"Clopper-Pearson interval, n = {trials}: all hosts came out alike")
    quantile = float(stdtrit(df, (1 + level) / 2))
    half = quantile * sqrt(variance)
    low, high = max(mean - half, 0.0), min(mean + half, 1.0)
    if grid.hosts * min(mean, 1 - mean) < _FEW:
        effective = min(max(mean * (1 - mean) / variance, trials), len(values))
        normal = float(stdtrit(1e9, (1 + level) / 2))
        exact = _clopper_pearson(
            mean * effective * (normal / quantile) ** 2, effective * (normal / quantile) ** 2, level
        )
        low, high = min(low, exact[0]), max(high, exact[1])
        method += ", widened to hold the Korn-Graubard interval"
    return Interval(low, high, level, method)


def _difference_interval(values: FloatArray, grid: _Grid, options: AnalysisChoices) -> Interval:
    level, mean = options.level, float(values.mean())
    by_host = not options.generalise_goals
    strata = [unit.domain for unit in grid.units] if grid.hosts >= MANY_HOSTS else [0] * len(values)

    def score_interval() -> Interval:
        clusters = grid.host if by_host or grid.hosts <= grid.goals else grid.goal
        return difference_interval(
            values, resample_weights(strata if by_host else [0] * len(values), clusters, seed=options.seed), level=level
        )

    if by_host and grid.hosts >= MANY_HOSTS:
        return score_interval()
    variance, df, method = _variance(values, grid, options)
    half = float(stdtrit(df, (1 + level) / 2)) * sqrt(variance)
    low, high = max(mean - half, -1.0), min(mean + half, 1.0)
    changed = len(np.unique(grid.host[values != 0]))
    if changed < FEWEST_HOSTS:
        score = score_interval()
        low, high = min(low, score.low), max(high, score.high)
        method += ", widened to hold Tango's score interval"
    return Interval(low, high, level, method)


def _variance(values: FloatArray, grid: _Grid, options: AnalysisChoices) -> tuple[float, int, str]:
    """Cluster-robust variance of the mean, the degrees of freedom, and the method in words."""
    host = _cluster_variance(values, grid.host)
    if not options.generalise_goals:
        return host, grid.hosts - 1, f"t interval, {grid.hosts - 1} df, variance by host"
    goal, both = _cluster_variance(values, grid.goal), _cluster_variance(values, grid.both)
    df = min(grid.hosts, grid.goals) - 1
    return max(host + goal - both, host, goal), df, f"t interval, {df} df, variance by host and by goal"


def _cluster_variance(values: FloatArray, clusters: IntArray) -> float:
    """G / (G - 1) times the sum of the squared sums of deviations, over the squared number of cells."""
    sums = np.bincount(clusters, weights=values - values.mean())
    number = len(sums)
    return number / (number - 1) * float(sums @ sums) / len(values) ** 2 if number > 1 else 0.0


def _t_test(changes: FloatArray, grid: _Grid) -> AttackTest:
    variance, df, _ = _variance(changes, grid, AnalysisChoices(generalise_goals=True))
    mean = abs(float(changes.mean()))
    if variance <= 1e-18:
        return AttackTest(1.0, f"t test by host and by goal, {df} df; nothing varies")
    return AttackTest(float(2 * stdtr(df, -mean / sqrt(variance))), f"t test by host and by goal, {df} df")


def _flip_test(base: Sequence[CellCounts], new: Sequence[CellCounts], grid: _Grid, seed: int) -> AttackTest:
    """Flip the sign of the change of whole hosts: exact where that can be enumerated."""
    whole = lcm(*{cell.delivered for cell in (*base, *new)})
    if whole * len(base) < _EXACT:
        pairs = zip(base, new, strict=True)
        scores = [b.achieved * (whole // b.delivered) - a.achieved * (whole // a.delivered) for a, b in pairs]
    else:
        pairs = zip(base, new, strict=True)
        scores = [round(10**6 * (b.achieved / b.delivered - a.achieved / a.delivered)) for a, b in pairs]
    step = max(1, gcd(*scores))
    sums = cluster_sums(np.array([score // step for score in scores], np.int64), grid.host)
    flips = sign_flip(sums, seed=seed)
    return AttackTest(flips.p, f"mean change, signs flipped by host ({flips.text})")


def _none_of(trials: int, level: float) -> float:
    """Upper one-sided bound of a rate of which none of these trials came about."""
    return 1 - (1 - level) ** (1 / trials)


def _clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    tail, failures = (1 - level) / 2, trials - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes > 1e-9 else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures > 1e-9 else 1.0
    return low, high
