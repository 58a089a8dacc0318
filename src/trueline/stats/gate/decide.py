"""Decide rules about a new setting from paired intervals: shown, refuted, or not settled by these data.

A relative rule is a non-inferiority (or, without slack, a superiority) test: the one-sided confidence bound of the
difference decides, not the two estimates. What is missing is taken at its worst, too, unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from trueline.errors import RequestError
from trueline.stats.comparisons.unequal_runs import (
    Figure,
    mean_of_runs,
    paired_change,
    pass_at_of_runs,
    pass_hat_of_runs,
)
from trueline.stats.gate.rules import GateRule
from trueline.stats.intervals import Interval, mean_interval
from trueline.stats.options import AnalysisChoices
from trueline.stats.pass_rates.summary import Counts, count
from trueline.stats.resample import Resample
from trueline.stats.results.table import ScoreTable

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Outcome = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True)
class GateResult:
    """The outcome of one rule."""

    rule: GateRule
    outcome: Outcome
    base: float | None
    """The base's figure, over the tasks compared."""
    new: float
    interval: Interval | None
    """Two-sided, of the figure or of the difference; each end is a one-sided bound with half the error."""
    n_tasks: int
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the rule is shown to hold."""
        return self.outcome == "passed"


def decide_missing(rule: GateRule, tables: Sequence[ScoreTable]) -> GateResult:
    """Decide a rule about how many trials of the new setting have no score.

    Args:
        rule: The demand.
        tables: Of the new setting: tasks whose score is success, and those whose score is harm.
    """
    number = sum(len(table.missing) for table in tables)
    slack = number - rule.limit if rule.at_least else rule.limit - number
    met = slack > 0 or (slack == 0 and not rule.strict)
    units = sum(len(table.units) for table in tables)
    return GateResult(rule, "passed" if met else "failed", None, number, None, units, f"{number} trials missing")


def decide(
    rule: GateRule, base: ScoreTable, new: ScoreTable, resample: Resample, options: AnalysisChoices
) -> GateResult:
    """Decide one rule.

    Args:
        rule: The demand.
        base: The setting it may refer to.
        new: The setting it is about; same units as the base.
        resample: Draws over the units.
        options: `level` is the one-sided confidence.

    Raises:
        InputError: The rule needs more runs than there are, or no task can be compared.
    """
    for table in (base, new) if rule.relative else (new,):
        if rule.k > table.n_runs:
            raise RequestError(f"`rule` {rule.text!r}: needs {rule.k} runs, {table.name} has {table.n_runs}")
        if np.all(np.isnan(table.scores)):
            raise RequestError(f"`rule` {rule.text!r}: {table.name} has no scored trial, so nothing was measured")
    seen = _ruling(rule, base, new, resample, options)
    if options.missing != "bounds" or seen.outcome != "passed":
        return seen
    worst_new = _filled(new, 0.0 if rule.at_least else 1.0)
    worst_base = _filled(base, 1.0 if rule.at_least else 0.0)
    worst = _ruling(rule, worst_base, worst_new, resample, options)
    if worst.outcome == "passed":
        return seen
    gone = len(new.missing) + (len(base.missing) if rule.relative else 0)
    reason = f"{seen.reason}; but not if the {gone} missing trials had turned out worst"
    return GateResult(rule, "inconclusive", seen.base, seen.new, seen.interval, seen.n_tasks, reason)


def _ruling(
    rule: GateRule, base: ScoreTable, new: ScoreTable, resample: Resample, options: AnalysisChoices
) -> GateResult:
    level = 2 * options.level - 1
    figure_of = _figure(rule)
    runs_after, complete = _runs(rule, new, options)
    after = figure_of(runs_after.sum(axis=1), new.n_runs)
    if not rule.relative:
        _require_counted(complete, rule, "the new setting")
        interval = mean_interval(after, resample, where=complete, level=level)
        outcome = outcome_of(rule, interval)
        figure = float(after[complete].mean())
        reason = f"{as_percent(figure)} {bound_text(rule, interval, options)} against {as_percent(rule.limit)}"
        return GateResult(rule, outcome, None, figure, interval, int(complete.sum()), reason)
    runs_before, complete_before = _runs(rule, base, options)
    before = figure_of(runs_before.sum(axis=1), base.n_runs)
    both = complete & complete_before
    _require_counted(both, rule, "both settings")
    change = paired_change(runs_before, runs_after, figure_of, seed=options.seed)
    interval = change.interval(resample, where=both, level=level)
    figure = float(change.values[both].mean())
    reason = (
        f"difference {100 * figure:+.1f} points, {bound_text(rule, interval, options)} against {100 * rule.limit:+.1f}"
    )
    return GateResult(
        rule,
        outcome_of(rule, interval),
        float(before[both].mean()),
        float(after[both].mean()),
        interval,
        int(both.sum()),
        reason,
    )


def outcome_of(rule: GateRule, interval: Interval) -> Outcome:
    """Whether an interval shows that a rule holds, refutes it, or does neither."""
    inside, outside = (interval.low, interval.high) if rule.at_least else (-interval.high, -interval.low)
    limit = rule.limit if rule.at_least else -rule.limit
    if inside > limit or (inside == limit and not rule.strict):
        return "passed"
    return "failed" if outside < limit or (outside == limit and rule.strict) else "inconclusive"


def bound_text(rule: GateRule, interval: Interval, options: AnalysisChoices) -> str:
    """Describe the confidence bound that decides."""
    word, bound = ("lower", interval.low) if rule.at_least else ("upper", interval.high)
    return f"{word} {options.level:.0%} bound {100 * bound:{'+.1f' if rule.relative else '.1f'}}"


def _figure(rule: GateRule) -> Figure:
    if rule.metric == "mean_score":
        return mean_of_runs
    return pass_at_of_runs(rule.k) if rule.metric == "pass_at" else pass_hat_of_runs(rule.k)


def _runs(rule: GateRule, table: ScoreTable, options: AnalysisChoices) -> tuple[FloatArray, BoolArray]:
    """What each run of each unit adds to the figure, 0 where it is not counted; and which units are counted."""
    counts: Counts = count(table, options)
    values = np.nan_to_num(table.scores) if rule.metric == "mean_score" else counts.success.astype(np.float64)
    return np.where(counts.counted[:, None], values, 0.0), counts.counted


def _require_counted(where: BoolArray, rule: GateRule, who: str) -> None:
    if not where.any():
        raise RequestError(f"`rule` {rule.text!r}: no task has all its runs scored in {who}")


def _filled(table: ScoreTable, score: float) -> ScoreTable:
    """Return the table with every missing trial given this score."""
    scores = np.where(np.isnan(table.scores), score, table.scores)
    return ScoreTable(table.name, table.condition, table.harm, table.units, table.runs, scores, table.missing)


def as_percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * share:.1f} %"
