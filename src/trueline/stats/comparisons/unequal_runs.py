"""Two settings whose tasks were run different numbers of times.

Pass^k is unbiased for any number of runs, but with fewer runs it varies more and is more skewed. A paired change
between unlike numbers of runs is therefore not symmetric about zero even when nothing changed, and methods that assume
so (sign flips, score intervals) reject too often.

- The test pools the runs of each task and deals them to the two settings again. If nothing changed, every deal is
  equally likely, whatever the numbers of runs. The statistic is studentised, so that the test also holds its level when
  tasks change in both directions but not on average. Where so few successes are expected that the standard error is
  unreliable, signs are flipped instead, on as many runs of each task as the setting with fewer runs has.
- The interval takes its width from comparisons of equal numbers of runs, drawn at random from those there are, and its
  centre from all runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from trueline.stats.comparisons.sign_flip import cluster_sums, sign_flip
from trueline.stats.intervals import Interval, difference_interval, difference_intervals
from trueline.stats.pass_rates.pass_k import pass_at, pass_hat
from trueline.stats.resample import Resample

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Figure = Callable[[FloatArray, int], FloatArray]
"""The figure of tasks from the sum over their runs and the number of runs."""

DEALS = 9999
EQUAL_RUN_DRAWS = 200
FEWEST_EXPECTED = 3.0
"""Below this many expected passes the deals give way to sign flips."""
FEWEST_GROUPS = 6
"""With fewer tasks (or clusters of tasks) too: all changes of one sign are then no rarer than 1 in 16."""
_MOST_SUBSETS = 1000
_CHUNK = 2_000_000
_TIES = 1e-9
_SMALLEST_ERROR = 1e-12


@dataclass(frozen=True)
class RedealTest:
    """A test of a change of Pass^k between any two numbers of runs."""

    t: float | None
    """Mean change over its standard error; `None` where signs were flipped."""
    p: float
    """Two-sided."""
    method: str


def redeal_tests(
    base: BoolArray,
    new: BoolArray,
    ks: Sequence[int],
    clusters: IntArray | None = None,
    *,
    seed: int = 0,
    deals: int = DEALS,
) -> dict[int, RedealTest]:
    """Test for each k that Pass^k did not change.

    Args:
        base: Whether each run (column) of each task (row) succeeded.
        new: The same for the other setting, with any number of runs.
        ks: At most the smaller number of runs.
        clusters: Label of each task; tasks with one label are not independent.
        seed: Of the deals.
        deals: How many.
    """
    pool = _Pool(
        np.count_nonzero(base, axis=1), np.count_nonzero(new, axis=1), base.shape[1], new.shape[1], seed, deals
    )
    expected = {k: float(pass_hat(pool.pooled, pool.n1 + pool.n2, k).sum()) for k in ks}
    groups = len(base) if clusters is None else len(np.unique(clusters))
    # Between equal numbers of runs changes are symmetric, and all runs take part in the sign flips. Of very few
    # independent groups no standard error can be had, while sign flips say by themselves that they settle nothing.
    redealt = pool.n1 != pool.n2 and groups >= FEWEST_GROUPS
    dealt = [k for k in ks if redealt and expected[k] >= FEWEST_EXPECTED - _TIES]
    found = {k: _sign_flips(base, new, k, clusters, seed) for k in ks if k not in dealt}
    if dealt:
        if clusters is None or groups == len(base):
            unit, (observed, beyond) = "by task", _by_kind(pool, dealt)
        else:
            unit, (observed, beyond) = "by cluster of tasks", _by_cluster(pool, dealt, clusters)
        for k, t, count in zip(dealt, observed, beyond, strict=True):
            method = (
                f"permutation test of Pass^{k}, the pooled runs of each task dealt anew, studentised {unit} "
                f"({deals} deals, seed {seed})"
            )
            found[k] = RedealTest(t, (1 + count) / (deals + 1), method)
    return {k: found[k] for k in ks}


@dataclass(frozen=True, eq=False)
class _Pool:
    """Successes of each task in both settings, and how they are dealt again."""

    c1: IntArray
    c2: IntArray
    n1: int
    n2: int
    seed: int
    deals: int

    @property
    def pooled(self) -> IntArray:
        return self.c1 + self.c2


def _sign_flips(base: BoolArray, new: BoolArray, k: int, clusters: IntArray | None, seed: int) -> RedealTest:
    """Compare as many runs of each as the shorter setting has, by flipping the signs of the changes."""
    m = min(base.shape[1], new.shape[1])
    ways = np.array([comb(c, k) for c in range(m + 1)], dtype=object)
    before, after = (ways[np.count_nonzero(runs[:, :m], axis=1)] for runs in (base, new))
    change = after - before
    step = max(1, int(np.gcd.reduce(change))) if change.size else 1
    # Many runs make the whole numbers larger than 64 bits hold; 40 bits of them decide as well.
    step = max(step, int(np.max(np.abs(change), initial=0)) >> 40)
    flips = sign_flip(cluster_sums((change // step).astype(np.int64), clusters), seed=seed)
    unit = "task" if clusters is None else "cluster of tasks"
    some = "" if base.shape[1] == new.shape[1] else f" on the first {m} runs of each setting"
    return RedealTest(
        None,
        flips.p,
        f"permutation test of Pass^{k}, signs flipped per {unit}{some} ({flips.text})",
    )


@dataclass(frozen=True)
class _Deal:
    """All ways to deal the pooled runs of a task: their chances, and the change of Pass^k of each."""

    lowest: int
    """Successes dealt to the base in the first way; one more in each further way."""
    chances: FloatArray
    changes: tuple[FloatArray, ...]
    """One array per k."""


def _deal(n1: int, n2: int, successes: int, ks: Sequence[int]) -> _Deal:
    lowest, highest = max(0, successes - n2), min(n1, successes)
    dealt = np.arange(lowest, highest + 1)
    ways = comb(n1 + n2, successes)
    chances = np.array([comb(n1, c) * comb(n2, successes - c) / ways for c in dealt.tolist()])
    changes = tuple(pass_hat(successes - dealt, n2, k) - pass_hat(dealt, n1, k) for k in ks)
    return _Deal(lowest, chances / chances.sum(), changes)


def _by_kind(pool: _Pool, ks: Sequence[int]) -> tuple[list[float], list[int]]:
    """The statistics, and how many deals reach them: independent tasks with as many successes are dealt together."""
    c1, pooled, deals, tasks = pool.c1, pool.pooled, pool.deals, len(pool.c1)
    rng = np.random.default_rng(pool.seed)
    sums = np.zeros((2, len(ks), deals))
    seen = np.zeros((2, len(ks), 1))
    for successes, members in zip(*np.unique(pooled, return_counts=True), strict=True):
        deal = _deal(pool.n1, pool.n2, int(successes), ks)
        drawn = rng.multinomial(int(members), deal.chances, size=deals).astype(np.float64)
        actual = np.bincount(c1[pooled == successes] - deal.lowest, minlength=len(deal.chances)).astype(np.float64)
        for i, change in enumerate(deal.changes):
            for power, values in enumerate((change, change**2)):
                sums[power, i] += drawn @ values
                seen[power, i] += actual @ values
    observed = _t(seen[0], seen[1], tasks)[:, 0]
    beyond = np.abs(_t(sums[0], sums[1], tasks)) >= np.abs(observed)[:, None] * (1 - _TIES)
    return observed.tolist(), np.count_nonzero(beyond, axis=1).tolist()


def _t(total: FloatArray, squares: FloatArray, tasks: int) -> FloatArray:
    """Mean change over its standard error, from the sum and the sum of squares over independent tasks."""
    scatter = np.maximum(squares - total**2 / tasks, 0)
    return _studentise(total, scatter, tasks)


def _studentise(total: FloatArray, scatter: FloatArray, groups: int) -> FloatArray:
    """A sum of changes over its standard error; without scatter only the sums are compared."""
    error = np.sqrt(scatter * groups / max(groups - 1, 1))
    return np.where(np.abs(total) > _TIES, total, 0) / np.maximum(error, _SMALLEST_ERROR)


def _by_cluster(pool: _Pool, ks: Sequence[int], clusters: IntArray) -> tuple[list[float], list[int]]:
    """The same with the standard error of sums over clusters: every task is dealt by itself."""
    rng = np.random.default_rng(pool.seed)
    order = np.argsort(clusters, kind="stable")
    labels = clusters[order]
    starts = np.concatenate(([0], np.flatnonzero(np.diff(labels)) + 1))
    sizes = np.diff(np.append(starts, len(labels))).astype(np.float64)
    kinds, kind = np.unique(pool.pooled[order], return_inverse=True)
    of_kind = [_deal(pool.n1, pool.n2, int(successes), ks) for successes in kinds]
    width = max(len(deal.chances) for deal in of_kind)
    # A way is drawn by counting how many of the cumulated chances a uniform number exceeds.
    limits = np.array(
        [np.append(np.cumsum(deal.chances)[:-1], [2.0] * (width - len(deal.chances))) for deal in of_kind]
    )
    tables = [np.array([np.resize(deal.changes[i], width) for deal in of_kind]).ravel() for i in range(len(ks))]
    lowest = np.array([deal.lowest for deal in of_kind])

    def statistics(ways: IntArray) -> FloatArray:
        """One row per k, one column per deal; `ways` has a row per deal."""
        rows: list[FloatArray] = []
        for table in tables:
            sums = np.add.reduceat(table[ways + kind * width], starts, axis=1)
            total = sums.sum(axis=1)
            residual = sums - total[:, None] / len(labels) * sizes
            rows.append(_studentise(total, np.einsum("ij,ij->i", residual, residual), len(starts)))
        return np.array(rows)

    observed = statistics((pool.c1[order] - lowest[kind])[None, :])[:, 0]
    beyond = np.zeros(len(ks), np.int64)
    step = max(1, _CHUNK // len(labels))
    for start in range(0, pool.deals, step):
        uniform = rng.random((min(step, pool.deals - start), len(labels)))
        ways = np.zeros(uniform.shape, np.int64)
        for column in range(width - 1):
            ways += uniform > limits[kind, column]
        beyond += np.count_nonzero(np.abs(statistics(ways)) >= np.abs(observed)[:, None] * (1 - _TIES), axis=1)
    return observed.tolist(), beyond.tolist()


@dataclass(frozen=True, eq=False)
class FigureChange:
    """The change of a figure, task by task."""

    values: FloatArray
    """New minus base, over all runs."""
    equal_runs: FloatArray | None = None
    """The same over equal numbers of runs, one column per random choice of them; `None` when they are equal anyway."""

    def interval(self, resample: Resample, *, where: npt.ArrayLike | None = None, level: float = 0.95) -> Interval:
        """Interval of the mean over the units of `where`.

        Raises:
            InputError: What `difference_intervals` refuses.
        """
        if self.equal_runs is None:
            return difference_interval(self.values, resample, where=where, level=level)
        mask = np.ones(len(self.values), np.bool_) if where is None else np.asarray(where, np.bool_)
        found = difference_intervals(self.equal_runs, resample, where=mask, level=level)
        return recentre(float(self.values[mask].mean()), self.equal_runs[mask].mean(axis=0), found)


def recentre(mean: float, means: FloatArray, found: Sequence[Interval]) -> Interval:
    """The interval around `mean` that reaches as far to each side as those around `means` do on average."""
    below = float(np.mean(means - np.array([interval.low for interval in found])))
    above = float(np.mean(np.array([interval.high for interval in found]) - means))
    method = f"{found[0].method}, of {len(found)} draws of equal numbers of runs, centred on all runs"
    return Interval(max(mean - below, -1.0), min(mean + above, 1.0), found[0].level, method)


def paired_change(base: npt.ArrayLike, new: npt.ArrayLike, figure: Figure, *, seed: int = 0) -> FigureChange:
    """The change of a figure from the runs of two settings.

    Args:
        base: A number per task (row) and run (column): a success as 0 or 1, or a score.
        new: The same for the other setting, with any number of runs.
        figure: What is compared.
        seed: Of the draws of equal numbers of runs.
    """
    before, after = np.asarray(base, np.float64), np.asarray(new, np.float64)
    n1, n2 = before.shape[1], after.shape[1]
    values = figure(after.sum(axis=1), n2) - figure(before.sum(axis=1), n1)
    if n1 == n2:
        return FigureChange(values)
    fewer, rng = min(n1, n2), np.random.default_rng(seed)
    old, later = (figure(_sums_of_some(runs, fewer, rng), fewer) for runs in (before, after))
    return FigureChange(values, later - old)


def mean_of_runs(sums: FloatArray, runs: int) -> FloatArray:
    """The mean score as a figure."""
    return sums / runs


def pass_hat_of_runs(k: int) -> Figure:
    """Pass^k as a figure of successes."""
    return lambda successes, runs: pass_hat(np.arange(runs + 1), runs, k)[successes.astype(np.int64)]


def pass_at_of_runs(k: int) -> Figure:
    """pass@k as a figure of successes."""
    return lambda successes, runs: pass_at(np.arange(runs + 1), runs, k)[successes.astype(np.int64)]


def _sums_of_some(values: FloatArray, some: int, rng: np.random.Generator) -> FloatArray:
    """Sums over `some` random runs of each task, one column per draw; a single column when all runs are taken."""
    n = values.shape[1]
    if n == some:
        return values.sum(axis=1, keepdims=True)
    if comb(n, some) <= _MOST_SUBSETS:
        chosen = np.array(list(combinations(range(n), some)))
    else:
        chosen = np.argsort(rng.random((_MOST_SUBSETS, n)), axis=1)[:, :some]
    masks = np.zeros((len(chosen), n))
    np.put_along_axis(masks, chosen, 1.0, axis=1)
    picks = rng.integers(len(chosen), size=(len(values), EQUAL_RUN_DRAWS))
    return np.take_along_axis(values @ masks.T, picks, axis=1)
