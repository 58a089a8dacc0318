"""Two settings over the same units, task by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.errors import RequestError
from trueline.records.layout import Unit
from trueline.stats.comparisons.mcnemar import mcnemar
from trueline.stats.comparisons.noninferiority import NonInferiority, noninferiority
from trueline.stats.comparisons.permutation import within_task_permutation
from trueline.stats.comparisons.unequal_runs import FigureChange, paired_change, pass_hat_of_runs, redeal_tests
from trueline.stats.comparisons.wilcoxon import wilcoxon
from trueline.stats.intervals import Interval
from trueline.stats.options import AnalysisChoices
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.pass_rates.suite_intervals import NotIdentified, suite_difference_interval
from trueline.stats.pass_rates.summary import Counts, count, pass_1_by_run
from trueline.stats.resample import Resample, cluster_labels
from trueline.stats.results.scorers import differently_scored
from trueline.stats.results.table import ScoreTable

IntArray = npt.NDArray[np.int64]
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
    """The paired changes and their tests, from one set of counts."""

    b: int
    c: int
    delta_c_sum: int
    delta_c_mean: float
    """Mean change of successes per task; with unequal numbers of runs, of the rate of success."""
    flags: Test
    """Test of the column b-c: McNemar on c_x = n, or a permutation test of Pass^k at the common k."""
    deltas: Test
    """Test of the column Δcx: Wilcoxon on d_x, or a permutation test of Pass^1."""
    others: dict[int, Test]
    """Tests of Pass^k for the other k that were asked for."""
    change: dict[int, float]
    """Change of Pass^k, for all k compared."""

    @property
    def b_minus_c(self) -> int:
        """Net gain of reliable tasks."""
        return self.b - self.c


@dataclass(frozen=True)
class Bounds:
    """The comparison had every missing trial turned out worst, and best, for the new setting."""

    worst: Paired
    best: Paired
    flags_survive: bool
    """The conclusion on b-c is the same at both ends: direction, and significance at 0.05."""
    deltas_survive: bool
    others_survive: dict[int, bool]


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
    """Difference of Pass^1, of Pass^k and of the other k that were asked for, by k."""
    ci: dict[int, Interval]
    not_identified: dict[int, str]
    """Why an interval is absent, by k."""
    bounds: Bounds
    noninferiority: NonInferiority | None
    gained: tuple[Flip, ...]
    lost: tuple[Flip, ...]
    shared: tuple[str, ...]
    """Runs that are in both lists: the comparison is across environments."""
    differently_scored: tuple[Unit, ...]
    """Units that, as recorded, were not all scored by the same checkers."""
    pass_1_by_run: tuple[float | None, ...]
    """Pass^1 of each run of the new setting by itself, over its scored trials."""


def compare(
    base: ScoreTable, new: ScoreTable, resample: Resample, options: AnalysisChoices, *, asked: Sequence[int] = ()
) -> Comparison:
    """Compare two settings whose tables have the same units.

    Args:
        base: The setting to compare with.
        new: The other one.
        resample: How their units are resampled.
        options: The declared choices.
        asked: Further k to compare Pass^k at; those above the smaller number of runs are left out.

    Raises:
        InputError: Run noise alone is asked for while a run stands in both lists.
    """
    in_base = {run.folder for run in base.runs}
    shared = tuple(run.label for run in new.runs if run.folder in in_base)
    if shared and options.inference == "suite":
        raise RequestError(f"{shared[0]} is in both lists; `inference` suite compares different runs")
    before, after = count(base, options), count(new, options)
    both = before.counted & after.counted
    k = min(before.n_runs, after.n_runs)
    ks = sorted({1, k, *(j for j in asked if j <= k)})
    clusters = cluster_labels(base.units)

    def paired(old: BoolArray, later: BoolArray, where: BoolArray) -> Paired:
        return _paired(old[where], later[where], ks, None if clusters is None else clusters[where], options)

    everywhere = np.ones(len(base.units), np.bool_)
    observed = paired(before.success, after.success, both) if both.any() else None
    if observed is not None and not base.missing and not new.missing:
        worst = best = observed
    else:
        worst = paired(before.success_at_best, after.success, everywhere)
        best = paired(before.success, after.success_at_best, everywhere)
    changes = {
        j: paired_change(
            before.success & both[:, None], after.success & both[:, None], pass_hat_of_runs(j), seed=options.seed
        )
        for j in ks
    }
    ci, not_identified = _intervals(changes, before, after, both, resample, options)
    flips = _flips(base.units, before, after, both) if before.n_runs == after.n_runs else []
    return Comparison(
        base=base,
        new=new,
        n_pairs=int(both.sum()),
        k=k,
        unequal_runs=before.n_runs != after.n_runs,
        paired=observed,
        difference={j: float(change.values[both].mean()) for j, change in changes.items()} if observed else {},
        ci=ci,
        not_identified=not_identified,
        bounds=Bounds(
            worst=worst,
            best=best,
            flags_survive=observed is not None
            and _same_conclusion(
                *(
                    (end.b_minus_c if before.n_runs == after.n_runs else end.change[k], end.flags)
                    for end in (observed, worst, best)
                )
            ),
            deltas_survive=observed is not None
            and _same_conclusion(
                (observed.delta_c_mean, observed.deltas),
                (worst.delta_c_mean, worst.deltas),
                (best.delta_c_mean, best.deltas),
            ),
            others_survive={
                j: observed is not None
                and _same_conclusion(*((end.change[j], end.others[j]) for end in (observed, worst, best)))
                for j in worst.others
            },
        ),
        noninferiority=noninferiority(changes[k], resample, margin=options.margin, where=both, level=options.level)
        if options.margin is not None and observed is not None
        else None,
        gained=tuple(flip for flip in flips if flip.new == after.n_runs),
        lost=tuple(flip for flip in flips if flip.new != after.n_runs),
        shared=shared,
        differently_scored=differently_scored(base, new),
        pass_1_by_run=pass_1_by_run(new, options),
    )


def _paired(
    base: BoolArray, new: BoolArray, ks: Sequence[int], clusters: IntArray | None, options: AnalysisChoices
) -> Paired:
    """Compare the successes of two settings, units x runs each, at the largest of `ks`, at 1 and at those between."""
    x, n_x = base.sum(axis=1, dtype=np.int64), base.shape[1]
    y, n_y = new.sum(axis=1, dtype=np.int64), new.shape[1]
    reliable_before, reliable_after = x == n_x, y == n_y
    by_name = options.inference == "population" and n_x == n_y
    tested = [k for k in ks if 1 < k < n_x] if by_name else ks
    if options.inference == "suite":
        permuted = {k: within_task_permutation(x, n_x, y, n_y, k, seed=options.seed) for k in tested}
        tests = {k: Test(test.p, test.method) for k, test in permuted.items()}
    else:
        redealt = redeal_tests(base, new, tested, clusters, seed=options.seed)
        tests = {k: Test(test.p, test.method) for k, test in redealt.items()}
    if by_name:
        flag_test = mcnemar(
            reliable_before, reliable_after, method=options.mcnemar, clusters=clusters, seed=options.seed
        )
        delta_test = wilcoxon(y - x, clusters=clusters, seed=options.seed)
        flags = Test(flag_test.p, f"McNemar on c_x = n, {flag_test.method}")
        deltas = Test(delta_test.p, f"Wilcoxon signed-rank on d_x, {delta_test.method}")
    else:
        flags, deltas = tests[ks[-1]], tests[1]
    return Paired(
        b=int(np.count_nonzero(reliable_after & ~reliable_before)),
        c=int(np.count_nonzero(reliable_before & ~reliable_after)),
        delta_c_sum=int((y - x).sum()),
        delta_c_mean=float((y - x).mean()) if n_x == n_y else float((y / n_y - x / n_x).mean()),
        flags=flags,
        deltas=deltas,
        others={k: tests[k] for k in ks[1:-1]},
        change={k: float(np.mean(pass_hat(y, n_y, k) - pass_hat(x, n_x, k))) for k in ks},
    )


def _intervals(
    changes: dict[int, FigureChange],
    before: Counts,
    after: Counts,
    both: BoolArray,
    resample: Resample,
    options: AnalysisChoices,
) -> tuple[dict[int, Interval], dict[int, str]]:
    if not both.any():
        return {}, {}
    if options.inference == "population":
        return {k: change.interval(resample, where=both, level=options.level) for k, change in changes.items()}, {}
    old, new = before.successes[both], after.successes[both]
    results = {
        k: suite_difference_interval(old, before.n_runs, new, after.n_runs, k, level=options.level) for k in changes
    }
    return (
        {k: result for k, result in results.items() if isinstance(result, Interval)},
        {k: result.reason for k, result in results.items() if isinstance(result, NotIdentified)},
    )


def _same_conclusion(*ends: tuple[float, Test]) -> bool:
    """Whether all ends give one conclusion: significant in one direction, or not significant."""
    return len({(change > 0) - (change < 0) if test.significant else 0 for change, test in ends}) == 1


def _flips(units: Sequence[Unit], before: Counts, after: Counts, both: BoolArray) -> list[Flip]:
    changed = both & ((before.successes == before.n_runs) != (after.successes == after.n_runs))
    return [Flip(units[i], int(before.successes[i]), int(after.successes[i])) for i in np.flatnonzero(changed).tolist()]
