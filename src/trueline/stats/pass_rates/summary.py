"""One setting in figures: Pass^k and its neighbours, over the tasks whose runs all have a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from trueline.records.episode_state import TOLERANCE
from trueline.stats.intervals import Interval, mean_intervals, wilson
from trueline.stats.options import AnalysisChoices
from trueline.stats.pass_rates.pass_k import Outcomes, histogram, outcomes, pass_at, pass_hat
from trueline.stats.pass_rates.suite_intervals import NotIdentified, suite_interval
from trueline.stats.resample import Resample
from trueline.stats.results.table import ScoreTable

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Counts:
    """Successes per unit under the options in force."""

    success: BoolArray
    """Units x runs. Where there is no score: False, or harm done if what is missing counts as failed."""
    has_score: BoolArray
    """Whether there is a score, units x runs."""
    missing_fails: bool

    @property
    def n_runs(self) -> int:
        """How many runs there are, scored or not."""
        return self.success.shape[1]

    @cached_property
    def successes(self) -> IntArray:
        """Successes per unit, in the runs that count."""
        return self.success.sum(axis=1, dtype=np.int64)

    @cached_property
    def scored(self) -> IntArray:
        """How many runs have a score."""
        return self.has_score.sum(axis=1, dtype=np.int64)

    @property
    def complete(self) -> BoolArray:
        """Units whose runs all have a score."""
        return self.scored == self.n_runs

    @property
    def counted(self) -> BoolArray:
        """Units that rates and tests are about: the complete ones, or all if what is missing counts as failed."""
        return self.complete | self.missing_fails

    @property
    def success_at_best(self) -> BoolArray:
        """Units x runs, if all that is missing had succeeded."""
        return self.success | ~self.has_score

    @property
    def at_best(self) -> IntArray:
        """Successes if all that is missing had succeeded."""
        return self.success_at_best.sum(axis=1, dtype=np.int64)


def count(table: ScoreTable, options: AnalysisChoices) -> Counts:
    """Count successes and scored runs of each unit."""
    return Counts(
        success=_scores(table, options) >= options.threshold - TOLERANCE,
        has_score=~np.isnan(table.scores),
        missing_fails=options.missing == "fail",
    )


def pass_1_by_run(table: ScoreTable, options: AnalysisChoices) -> tuple[float | None, ...]:
    """The share of successes in each run by itself, over the trials that have a score."""
    scored = np.ones_like(table.scores, np.bool_) if options.missing == "fail" else ~np.isnan(table.scores)
    success = _scores(table, options) >= options.threshold - TOLERANCE
    return tuple(
        float(success[:, run][scored[:, run]].mean()) if scored[:, run].any() else None for run in range(table.n_runs)
    )


def _scores(table: ScoreTable, options: AnalysisChoices) -> FloatArray:
    """Units x runs, below 0 where missing; what counts as failed is harm done, never harm avoided."""
    return np.nan_to_num(table.scores, nan=1.0 if table.harm and options.missing == "fail" else -1.0)


@dataclass(frozen=True)
class Rates:
    """Figures over one set of units: all of them, or one domain's."""

    n_tasks: int
    n_complete: int
    """Units whose runs all have a score."""
    n_counted: int
    """Units that the rates are over: the complete ones, or all with `missing="fail"`."""
    pass_hat: dict[int, float]
    """For every k up to the number of runs; empty when no unit is counted."""
    pass_at: dict[int, float]
    ci: dict[int, Interval]
    """Intervals of `pass_hat`; a k whose interval the data cannot give is absent."""
    not_identified: dict[int, str]
    """Why an interval is absent, by k."""
    wilson: Interval | None
    """Wilson's interval of Pass^n, with tasks taken as independent trials."""
    bounds: dict[int, tuple[float, float]]
    """Pass^k over all units if all that is missing had failed, and if it had succeeded."""
    outcomes: Outcomes
    histogram: tuple[int, ...]
    """Counted units with 0, 1 … n successes."""
    mean_score: float | None
    """Mean raw score of counted units, beside the thresholded Pass^1."""


@dataclass(frozen=True)
class Summary:
    """One setting."""

    table: ScoreTable
    rates: Rates
    by_domain: dict[str, Rates]


def summarise(table: ScoreTable, resample: Resample, options: AnalysisChoices) -> Summary:
    """Compute the figures of one setting."""
    counts = count(table, options)
    domains = np.array([unit.domain for unit in table.units])
    masks = {domain: domains == domain for domain in dict.fromkeys(domains.tolist())}
    masks_of_all = [np.ones(len(domains), np.bool_), *masks.values()]
    intervals = _intervals(counts, [mask & counts.counted for mask in masks_of_all], resample, options)
    raw = np.maximum(_scores(table, options), 0.0).mean(axis=1)
    everything, *per_domain = (
        _rates(counts, raw, mask, *of_mask, options.level)
        for mask, of_mask in zip(masks_of_all, intervals, strict=True)
    )
    return Summary(table=table, rates=everything, by_domain=dict(zip(masks, per_domain, strict=True)))


def _rates(
    counts: Counts, raw: FloatArray, mask: BoolArray, ci: dict[int, Interval], reasons: dict[int, str], level: float
) -> Rates:
    n, counted = counts.n_runs, mask & counts.counted
    ks = range(1, n + 1)
    c = counts.successes[counted]
    outcome = outcomes(c, n)
    return Rates(
        n_tasks=int(mask.sum()),
        n_complete=int((mask & counts.complete).sum()),
        n_counted=len(c),
        pass_hat={k: float(pass_hat(c, n, k).mean()) for k in ks} if c.size else {},
        pass_at={k: float(pass_at(c, n, k).mean()) for k in ks} if c.size else {},
        ci=ci,
        not_identified=reasons,
        wilson=wilson(outcome.always, len(c), level) if c.size else None,
        bounds={
            k: (
                float(pass_hat(counts.successes[mask], n, k).mean()),
                float(pass_hat(counts.at_best[mask], n, k).mean()),
            )
            for k in ks
        },
        outcomes=outcome,
        histogram=tuple(histogram(c, n).tolist()),
        mean_score=float(raw[counted].mean()) if c.size else None,
    )


def _intervals(
    counts: Counts, masks: Sequence[BoolArray], resample: Resample, options: AnalysisChoices
) -> list[tuple[dict[int, Interval], dict[int, str]]]:
    """Intervals by k for each set of units, and why some are absent; nothing for an empty set."""
    ks = range(1, counts.n_runs + 1)
    some = [place for place, mask in enumerate(masks) if mask.any()]
    pairs: list[tuple[dict[int, Interval], dict[int, str]]] = [({}, {}) for _ in masks]
    if options.inference == "population" and some:
        c = np.where(counts.counted, counts.successes, 0)
        hat = np.column_stack([pass_hat(c, counts.n_runs, k) for k in ks])
        where = np.column_stack([masks[place] for place in some for _ in ks])
        found = iter(mean_intervals(np.tile(hat, len(some)), resample, where=where, level=options.level))
        for place in some:
            pairs[place] = ({k: next(found) for k in ks}, {})
        return pairs
    for place in some:
        c = counts.successes[masks[place]]
        results = {k: suite_interval(c, counts.n_runs, k, level=options.level) for k in ks}
        pairs[place] = (
            {k: result for k, result in results.items() if isinstance(result, Interval)},
            {k: result.reason for k, result in results.items() if isinstance(result, NotIdentified)},
        )
    return pairs
