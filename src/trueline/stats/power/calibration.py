"""Do intervals hold the truth, and do tests reject, as often as they say? Measured over simulated studies.

The tests of this project and `benchmarks/stats/coverage.py`, whose figures stand in the docs, measure with these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.stats.comparisons.mcnemar import mcnemar
from trueline.stats.comparisons.permutation import within_task_permutation
from trueline.stats.comparisons.unequal_runs import DEALS, paired_change, pass_hat_of_runs, recentre, redeal_tests
from trueline.stats.comparisons.wilcoxon import wilcoxon
from trueline.stats.intervals import Interval, difference_intervals, mean_intervals
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.power.simulate import SimulatedStudies, StudyPlan, simulate_studies, true_pass_hat
from trueline.stats.resample import Resample, resample_weights

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Coverage:
    """How often the interval of a figure held its true value."""

    truth: float
    held: float
    too_low: float
    """Share of intervals that lie below the truth."""
    too_high: float
    width: float
    """Mean width of the intervals."""
    informative: float
    """Tasks per study that carry the figure, on average: the rarer outcome of a rate, the changes of a difference."""


@dataclass(frozen=True)
class IntervalCoverage:
    """Coverage of the intervals of Pass^k of the new setting and of its difference to the base."""

    rate: Coverage
    difference: Coverage


def interval_coverage(plan: StudyPlan, k: int, *, studies: int, seed: int, level: float = 0.95) -> IntervalCoverage:
    """Measure how often intervals over simulated studies hold the truth of the plan."""
    simulated = simulate_studies(plan, studies, seed)
    units = resample_weights(simulated.domain, simulated.cluster)
    base, new = (_values(counts, plan.repeats, k) for counts in (simulated.base_counts, simulated.new_counts))
    before, after = (true_pass_hat(plan, setting, k) for setting in (plan.base, plan.new))
    rarer = np.minimum(np.count_nonzero(new > 0, axis=0), np.count_nonzero(new < 1, axis=0))
    changed = np.count_nonzero(new != base, axis=0)
    return IntervalCoverage(
        _coverage(mean_intervals(new, units, level=level), after, float(rarer.mean())),
        _coverage(difference_intervals(new - base, units, level=level), after - before, float(changed.mean())),
    )


@dataclass(frozen=True)
class UnequalRuns:
    """Comparisons of Pass^k between unequal numbers of runs."""

    size: float
    """Share of studies in which the test rejects at 5 %; about power when the settings differ."""
    difference: Coverage
    gate_passes: float
    """Share of studies that show new to be better at 95 %, one-sided: false when the settings are alike."""
    gate_fails: float
    """Share of studies that show it to be worse."""


_BATCH = 25
"""Studies whose intervals are computed together."""


def unequal_runs_calibration(
    plan: StudyPlan, ks: tuple[int, ...], *, studies: int, seed: int, deals: int = DEALS
) -> dict[int, UnequalRuns]:
    """Measure test, interval and gate between `plan.repeats` and `plan.new_repeats` runs over simulated studies."""
    simulated = simulate_studies(plan, studies, seed)
    units = resample_weights(simulated.domain, simulated.cluster)
    clusters = None if plan.cluster_size == 1 else simulated.cluster
    rejected = dict.fromkeys(ks, 0)
    for number, (base, new) in enumerate(zip(simulated.base, simulated.new, strict=True)):
        for k, test in redeal_tests(base, new, ks, clusters, seed=seed + number, deals=deals).items():
            rejected[k] += test.p < 0.05
    found: dict[int, UnequalRuns] = {}
    for k in ks:
        truth = true_pass_hat(plan, plan.new, k) - true_pass_hat(plan, plan.base, k)
        intervals, one_sided = (_unequal_intervals(simulated, units, k, seed, level) for level in (0.95, 0.9))
        found[k] = UnequalRuns(
            rejected[k] / studies,
            _coverage(intervals, truth, 0.0),
            float(np.mean([interval.low > 0 for interval in one_sided])),
            float(np.mean([interval.high < 0 for interval in one_sided])),
        )
    return found


def _unequal_intervals(simulated: SimulatedStudies, units: Resample, k: int, seed: int, level: float) -> list[Interval]:
    """What `Change.interval` gives for each study, many studies at a time."""
    intervals: list[Interval] = []
    for start in range(0, len(simulated.base), _BATCH):
        changes = [
            paired_change(base, new, pass_hat_of_runs(k), seed=seed + number)
            for number, (base, new) in enumerate(
                zip(simulated.base[start : start + _BATCH], simulated.new[start : start + _BATCH], strict=True), start
            )
        ]
        drawn = [change.values[:, None] if change.equal_runs is None else change.equal_runs for change in changes]
        found = difference_intervals(np.hstack(drawn), units, level=level)
        place = 0
        for change, columns in zip(changes, drawn, strict=True):
            width = columns.shape[1]
            intervals.append(recentre(float(change.values.mean()), columns.mean(axis=0), found[place : place + width]))
            place += width
    return intervals


def rejection_rates(plan: StudyPlan, *, studies: int, seed: int, alpha: float = 0.05) -> dict[str, float]:
    """Share of simulated studies in which each test rejects: its size when the settings are alike, else its power.

    The permutation tests are about run noise alone, so they keep their level only for `link = 1`.
    """
    simulated = simulate_studies(plan, studies, seed)
    rejected: dict[str, int] = {}
    for base, new in zip(simulated.base_counts, simulated.new_counts, strict=True):
        for name, p in _p_values(base, new, simulated).items():
            rejected[name] = rejected.get(name, 0) + (p < alpha)
    return {name: count / studies for name, count in rejected.items()}


def _p_values(base: npt.NDArray[np.int64], new: npt.NDArray[np.int64], simulated: SimulatedStudies) -> dict[str, float]:
    n = simulated.plan.repeats
    before, after = base == n, new == n
    found = {
        "McNemar exact": mcnemar(before, after).p,
        "McNemar mid-p": mcnemar(before, after, method="midp").p,
        "McNemar chi-square": mcnemar(before, after, method="chi2").p,
        "Wilcoxon": wilcoxon(new - base).p,
        "permutation, k = 1": within_task_permutation(base, n, new, n, 1).p,
        f"permutation, k = {n}": within_task_permutation(base, n, new, n, n).p,
    }
    if simulated.plan.cluster_size > 1:
        found["McNemar by cluster"] = mcnemar(before, after, clusters=simulated.cluster).p
        found["Wilcoxon by cluster"] = wilcoxon(new - base, clusters=simulated.cluster).p
    return found


def _values(counts: npt.NDArray[np.int64], n: int, k: int) -> FloatArray:
    """Per-task values with a column per study."""
    return pass_hat(counts.ravel(), n, k).reshape(counts.shape).T


def _coverage(intervals: list[Interval], truth: float, informative: float) -> Coverage:
    low, high = np.array([i.low for i in intervals]), np.array([i.high for i in intervals])
    # The bounds of few tasks lie on a lattice that may meet the truth exactly but for rounding.
    too_high, too_low = low > truth + 1e-12, high < truth - 1e-12
    held = 1 - float(np.mean(too_high | too_low))
    return Coverage(truth, held, float(too_low.mean()), float(too_high.mean()), float(np.mean(high - low)), informative)
