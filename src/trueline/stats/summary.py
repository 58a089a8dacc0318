"""One setting in figures: Pass^k and its neighbours, over the tasks whose runs all have a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.stats.intervals import Interval, mean_intervals, wilson
from trueline.stats.options import Options
from trueline.stats.pass_k import Outcomes, histogram, outcomes, pass_at, pass_hat
from trueline.stats.resample import Resample
from trueline.stats.suite import NotIdentified, suite_interval
from trueline.stats.table import ScoreTable

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_EQUAL = 1e-9
"""A score this close below the threshold is at it: 0.1 + 0.2 must pass 0.3."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Successes per unit under the options in force."""

    successes: IntArray
    """Of the runs that have a score."""
    scored: IntArray
    """How many runs have a score."""
    n_runs: int

    @property
    def complete(self) -> BoolArray:
        """Units whose runs all have a score."""
        return self.scored == self.n_runs

    @property
    def at_best(self) -> IntArray:
        """Successes if all that is missing had succeeded."""
        return self.successes + self.n_runs - self.scored


def count(table: ScoreTable, options: Options) -> Counts:
    """Count successes; with `missing="fail"` a trial without a score is a failure, so that nothing is missing."""
    scored = ~np.isnan(table.scores)
    success = _success(table, options)
    runs = np.full(len(table.units), table.n_runs, np.int64)
    return Counts(
        successes=success.sum(axis=1, dtype=np.int64),
        scored=runs if options.missing == "fail" else scored.sum(axis=1, dtype=np.int64),
        n_runs=table.n_runs,
    )


def pass_1_by_run(table: ScoreTable, options: Options) -> tuple[float | None, ...]:
    """The share of successes in each run by itself, over the trials that have a score."""
    scored = np.ones_like(table.scores, np.bool_) if options.missing == "fail" else ~np.isnan(table.scores)
    success = _success(table, options)
    return tuple(
        float(success[:, run][scored[:, run]].mean()) if scored[:, run].any() else None for run in range(table.n_runs)
    )


def _success(table: ScoreTable, options: Options) -> BoolArray:
    return np.nan_to_num(table.scores, nan=-1.0) >= options.threshold - _EQUAL


@dataclass(frozen=True)
class Rates:
    """Figures over one set of units: all of them, or one domain's."""

    n_tasks: int
    n_complete: int
    pass_hat: dict[int, float]
    """For every k up to the number of runs; empty when no unit is complete."""
    pass_at: dict[int, float]
    ci: dict[int, Interval]
    """Of `pass_hat`; a k whose interval the data cannot give is absent."""
    not_identified: dict[int, str]
    """Why an interval is absent, by k."""


@dataclass(frozen=True)
class Summary:
    """One setting."""

    table: ScoreTable
    rates: Rates
    bounds: dict[int, tuple[float, float]]
    """Pass^k over all units if all that is missing had failed, and if it had succeeded."""
    wilson: Interval | None
    """Of Pass^n, tasks taken as independent trials."""
    outcomes: Outcomes
    histogram: tuple[int, ...]
    """Complete units with 0, 1 … n successes."""
    mean_score: float | None
    """Mean raw score of complete units, beside the thresholded Pass^1."""
    by_domain: dict[str, Rates]


def summarise(table: ScoreTable, resample: Resample, options: Options) -> Summary:
    """Work out the figures of one setting."""
    counts = count(table, options)
    n = table.n_runs
    c = counts.successes[counts.complete]
    domains = np.array([unit.domain for unit in table.units])
    masks = {domain: domains == domain for domain in dict.fromkeys(domains.tolist())}
    everything, *per_domain = _rates(counts, [np.ones(len(domains), np.bool_), *masks.values()], resample, options)
    raw = np.nan_to_num(table.scores) if options.missing == "fail" else table.scores
    outcome = outcomes(c, n)
    return Summary(
        table=table,
        rates=everything,
        bounds={
            k: (float(pass_hat(counts.successes, n, k).mean()), float(pass_hat(counts.at_best, n, k).mean()))
            for k in range(1, n + 1)
        },
        wilson=wilson(outcome.always, len(c), options.level) if c.size else None,
        outcomes=outcome,
        histogram=tuple(histogram(c, n).tolist()),
        mean_score=float(raw[counts.complete].mean()) if c.size else None,
        by_domain=dict(zip(masks, per_domain, strict=True)),
    )


def _rates(counts: Counts, masks: Sequence[BoolArray], resample: Resample, options: Options) -> list[Rates]:
    """The same figures for several sets of units."""
    ks = range(1, counts.n_runs + 1)
    c = np.where(counts.complete, counts.successes, 0)
    hat = np.column_stack([pass_hat(c, counts.n_runs, k) for k in ks])
    at = np.column_stack([pass_at(c, counts.n_runs, k) for k in ks])
    taken = [mask & counts.complete for mask in masks]
    some = [mask for mask in taken if mask.any()]
    intervals = iter(_intervals(counts, hat, some, resample, options) if some else [])
    found: list[Rates] = []
    for mask, complete in zip(masks, taken, strict=True):
        any_complete = bool(complete.any())
        ci, reasons = next(intervals) if any_complete else ({}, {})
        found.append(
            Rates(
                n_tasks=int(mask.sum()),
                n_complete=int(complete.sum()),
                pass_hat=dict(zip(ks, hat[complete].mean(axis=0).tolist(), strict=True)) if any_complete else {},
                pass_at=dict(zip(ks, at[complete].mean(axis=0).tolist(), strict=True)) if any_complete else {},
                ci=ci,
                not_identified=reasons,
            )
        )
    return found


def _intervals(
    counts: Counts, hat: FloatArray, masks: Sequence[BoolArray], resample: Resample, options: Options
) -> list[tuple[dict[int, Interval], dict[int, str]]]:
    """Intervals by k for each set of units, and why some are absent."""
    ks = range(1, counts.n_runs + 1)
    if options.inference == "population":
        where = np.column_stack([mask for mask in masks for _ in ks])
        found = mean_intervals(np.tile(hat, len(masks)), resample, where=where, level=options.level)
        return [
            (dict(zip(ks, found[start : start + counts.n_runs], strict=True)), {})
            for start in range(0, len(found), counts.n_runs)
        ]
    pairs: list[tuple[dict[int, Interval], dict[int, str]]] = []
    for mask in masks:
        results = {k: suite_interval(counts.successes[mask], counts.n_runs, k, level=options.level) for k in ks}
        pairs.append(
            (
                {k: result for k, result in results.items() if isinstance(result, Interval)},
                {k: result.reason for k, result in results.items() if isinstance(result, NotIdentified)},
            )
        )
    return pairs
