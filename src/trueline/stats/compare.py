"""Two settings over the same units, task by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, gcd

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.records.layout import Unit
from trueline.stats.intervals import Interval, difference_intervals
from trueline.stats.mcnemar import mcnemar
from trueline.stats.noninferiority import NonInferiority, noninferiority
from trueline.stats.options import Options
from trueline.stats.pass_k import pass_hat
from trueline.stats.permutation import within_task_permutation
from trueline.stats.resample import Resample
from trueline.stats.sign_flip import cluster_sums, sign_flip
from trueline.stats.suite import NotIdentified, suite_difference_interval
from trueline.stats.summary import Counts, count, pass_1_by_run
from trueline.stats.table import ScoreTable
from trueline.stats.wilcoxon import wilcoxon

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
ALPHA = 0.05


@dataclass(frozen=True)
class Test:
    """A test's p value and how it was made."""

    p: float
    method: str

    @property
    def significant(self) -> bool:
        """Below 0.05, before any adjustment for several tests."""
        return self.p < ALPHA


@dataclass(frozen=True)
class Flip:
    """A task that became reliable or stopped being so."""

    unit: Unit
    base: int
    """Successes in the base setting."""
    new: int


@dataclass(frozen=True)
class Paired:
    """What is compared, computed from one set of counts."""

    b: int
    c: int
    delta_c_sum: int
    delta_c_mean: float
    """Mean change of successes per task; with unequal numbers of runs, of the rate of success."""
    flags: Test
    """Of the column b-c: McNemar on c_x = n, or a permutation test of Pass^k at the common k."""
    deltas: Test
    """Of the column Δcx: Wilcoxon on d_x, or a permutation test of Pass^1."""

    @property
    def b_minus_c(self) -> int:
        """Net gain of reliable tasks."""
        return self.b - self.c


@dataclass(frozen=True)
class Ends:
    """The same comparison if what is missing had turned out worst and best for the new setting."""

    worst: Paired
    best: Paired
    flags_survive: bool
    """The conclusion on b-c is the same at both ends: direction, and significance at 0.05."""
    deltas_survive: bool


@dataclass(frozen=True)
class Comparison:
    """A new setting against its base."""

    base: ScoreTable
    new: ScoreTable
    n_pairs: int
    """Units counted in both."""
    k: int
    """The k of the reliability compared: all runs, or the smaller number of runs."""
    unequal_runs: bool
    """McNemar on c_x = n and Wilcoxon on d_x would compare unlike things: Pass^k and Pass^1 are compared instead."""
    paired: Paired | None
    """`None` when no unit is counted in both."""
    difference: dict[int, float]
    """Of Pass^1 and Pass^k."""
    ci: dict[int, Interval]
    not_identified: dict[int, str]
    """Why an interval is absent, by k."""
    ends: Ends
    noninferiority: NonInferiority | None
    gained: tuple[Flip, ...]
    lost: tuple[Flip, ...]
    shared: tuple[str, ...]
    """Runs that stand in both lists: the comparison is across environments."""
    pass_1_by_run: tuple[float | None, ...]
    """Of each run of the new setting by itself, over its scored trials."""


def compare(base: ScoreTable, new: ScoreTable, resample: Resample, options: Options) -> Comparison:
    """Compare two settings whose tables have the same units.

    Raises:
        InputError: Run noise alone is asked for while a run stands in both lists.
    """
    in_base = {run.folder for run in base.runs}
    shared = tuple(run.label for run in new.runs if run.folder in in_base)
    if shared and options.inference == "suite":
        raise InputError(f"{shared[0]} stands in both lists; --inference suite cannot exchange a run with itself")
    before, after = count(base, options), count(new, options)
    both = before.counted & after.counted
    k = min(before.n_runs, after.n_runs)
    clusters = cluster_labels(base.units)
    everywhere = np.ones(len(base.units), np.bool_)

    def paired(c_base: IntArray, c_new: IntArray, where: BoolArray) -> Paired:
        x, y = c_base[where], c_new[where]
        return _paired(x, before.n_runs, y, after.n_runs, None if clusters is None else clusters[where], options)

    observed = paired(before.successes, after.successes, both) if both.any() else None
    worst = paired(before.at_best, after.successes, everywhere)
    best = paired(before.successes, after.at_best, everywhere)
    columns = {j: _difference(before, after, both, j) for j in (1, k)}
    ci, not_identified = _intervals(columns, before, after, both, resample, options)
    flips = _flips(base.units, before, after, both) if before.n_runs == after.n_runs else []
    return Comparison(
        base=base,
        new=new,
        n_pairs=int(both.sum()),
        k=k,
        unequal_runs=before.n_runs != after.n_runs,
        paired=observed,
        difference={j: float(values[both].mean()) for j, values in columns.items()} if observed else {},
        ci=ci,
        not_identified=not_identified,
        ends=Ends(
            worst=worst,
            best=best,
            flags_survive=observed is not None
            and _same(
                (observed.b_minus_c, observed.flags), (worst.b_minus_c, worst.flags), (best.b_minus_c, best.flags)
            ),
            deltas_survive=observed is not None
            and _same(
                (observed.delta_c_mean, observed.deltas),
                (worst.delta_c_mean, worst.deltas),
                (best.delta_c_mean, best.deltas),
            ),
        ),
        noninferiority=noninferiority(columns[k], resample, margin=options.margin, where=both, level=options.level)
        if options.margin is not None and observed is not None
        else None,
        gained=tuple(flip for flip in flips if flip.new == after.n_runs),
        lost=tuple(flip for flip in flips if flip.new != after.n_runs),
        shared=shared,
        pass_1_by_run=pass_1_by_run(new, options),
    )


def cluster_labels(units: Sequence[Unit]) -> IntArray | None:
    """Number the clusters that units belong to; `None` when every unit stands alone."""
    numbers: dict[tuple[str, str], int] = {}
    labels = np.array([numbers.setdefault(unit.host, len(numbers)) for unit in units], np.int64)
    return None if len(numbers) == len(units) else labels


def _paired(x: IntArray, n_x: int, y: IntArray, n_y: int, clusters: IntArray | None, options: Options) -> Paired:
    """Compare successes `x` of `n_x` runs with `y` of `n_y`."""
    reliable_before, reliable_after = x == n_x, y == n_y
    rate_change = y / n_y - x / n_x
    if options.inference == "suite":
        tests = [within_task_permutation(x, n_x, y, n_y, j, seed=options.seed) for j in (min(n_x, n_y), 1)]
        flags, deltas = (Test(test.p, test.method) for test in tests)
    elif n_x != n_y:
        flags, deltas = (compare_unequal(x, n_x, y, n_y, j, clusters, options) for j in (min(n_x, n_y), 1))
    else:
        flag_test = mcnemar(
            reliable_before, reliable_after, method=options.mcnemar, clusters=clusters, seed=options.seed
        )
        delta_test = wilcoxon(y - x, clusters=clusters, seed=options.seed)
        flags = Test(flag_test.p, f"McNemar on c_x = n, {flag_test.method}")
        deltas = Test(delta_test.p, f"Wilcoxon signed-rank on d_x, {delta_test.method}")
    return Paired(
        b=int(np.count_nonzero(reliable_after & ~reliable_before)),
        c=int(np.count_nonzero(reliable_before & ~reliable_after)),
        delta_c_sum=int((y - x).sum()),
        delta_c_mean=float((y - x).mean()) if n_x == n_y else float(rate_change.mean()),
        flags=flags,
        deltas=deltas,
    )


def compare_unequal(
    x: IntArray, n_x: int, y: IntArray, n_y: int, k: int, clusters: IntArray | None, options: Options
) -> Test:
    """Permutation test of a change of Pass^k between unequal numbers of runs: signs of the changes are flipped."""
    # Whole numbers: Pass^k of a task times C(n_x, k) times C(n_y, k).
    changes = [
        comb(b, k) * comb(n_x, k) - comb(a, k) * comb(n_y, k) for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    step = max(1, gcd(*changes))
    flips = sign_flip(
        cluster_sums(np.array([change // step for change in changes], np.int64), clusters), seed=options.seed
    )
    unit = "task" if clusters is None else "cluster of tasks"
    return Test(flips.p, f"permutation test of Pass^{k}, signs flipped per {unit} ({flips.text})")


def _difference(before: Counts, after: Counts, both: BoolArray, k: int) -> FloatArray:
    """Change of Pass^k of each unit; 0 where it is not counted in both."""
    old = pass_hat(np.where(both, before.successes, 0), before.n_runs, k)
    return pass_hat(np.where(both, after.successes, 0), after.n_runs, k) - old


def _intervals(
    columns: dict[int, FloatArray],
    before: Counts,
    after: Counts,
    both: BoolArray,
    resample: Resample,
    options: Options,
) -> tuple[dict[int, Interval], dict[int, str]]:
    if not both.any():
        return {}, {}
    if options.inference == "population":
        values = np.column_stack(list(columns.values()))
        found = difference_intervals(values, resample, where=both, level=options.level)
        return dict(zip(columns, found, strict=True)), {}
    old, new = before.successes[both], after.successes[both]
    results = {
        k: suite_difference_interval(old, before.n_runs, new, after.n_runs, k, level=options.level) for k in columns
    }
    return (
        {k: result for k, result in results.items() if isinstance(result, Interval)},
        {k: result.reason for k, result in results.items() if isinstance(result, NotIdentified)},
    )


def _same(*ends: tuple[float, Test]) -> bool:
    """Whether all ends give one conclusion: significant in one direction, or not significant."""
    return len({(change > 0) - (change < 0) if test.significant else 0 for change, test in ends}) == 1


def _flips(units: Sequence[Unit], before: Counts, after: Counts, both: BoolArray) -> list[Flip]:
    changed = both & ((before.successes == before.n_runs) != (after.successes == after.n_runs))
    return [Flip(units[i], int(before.successes[i]), int(after.successes[i])) for i in np.flatnonzero(changed).tolist()]
