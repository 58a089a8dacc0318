"""Fit how hard tasks are from the successes of their runs: a beta-binomial by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trueline.errors import InputError
from trueline.stats.options import AnalysisChoices
from trueline.stats.pass_rates.pass_k import checked_counts
from trueline.stats.pass_rates.suite_intervals import NotIdentified
from trueline.stats.pass_rates.summary import count
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.results.read import Results
from trueline.stats.results.table import harmful_of, tables_of, units_of

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_RHO_MAX = 0.999
_GRID = 200
_ZOOMS = 4
_DROP = 1.9207  # log-likelihood lost at the ends of a 95 % interval of one parameter


@dataclass(frozen=True)
class Fit:
    """The difficulty that explains the counts best."""

    difficulty: Difficulty
    rho_low: float
    """Profile likelihood interval of rho, 95 %."""
    rho_high: float
    tasks: int
    runs: int
    """Runs of all tasks together."""
    log_likelihood: float


def fit_difficulty(c: npt.ArrayLike, n: npt.ArrayLike) -> Fit | NotIdentified:
    """Fit mean and within-task correlation of success.

    Args:
        c: Successes of each task.
        n: Runs of each task, one number for all or one per task.

    Raises:
        InputError: Counts that are not possible, or no tasks.
    """
    successes, runs = checked_counts(c, n)
    if successes.size == 0:
        raise InputError("no tasks to fit")
    if runs.max() == 1:
        return NotIdentified("one run per task does not tell how alike the runs of a task are; give rho or more runs")
    if successes.sum() in (0, runs.sum()):
        same = "succeeded" if successes.any() else "failed"
        return NotIdentified(f"every run {same}; how tasks differ in difficulty cannot be told")
    # With odds = rho / (1 - rho) the likelihood is a product of m + i·odds over successes, 1 - m + j·odds over
    # failures and 1 / (1 + i·odds) over runs: only how many tasks have more than i of each matters.
    won, lost, run = (_more_than(x, int(runs.max())) for x in (successes, runs - successes, runs))
    low, high = 0.0, _RHO_MAX
    for _ in range(_ZOOMS):
        rho = np.linspace(low, high, _GRID)
        height = _profile(rho, won, lost, run)[1]
        best = int(np.argmax(height))
        low, high = float(rho[max(best - 1, 0)]), float(rho[min(best + 1, _GRID - 1)])
    at = np.array([(low + high) / 2])
    # A maximum on the border is the border itself: zooming in only comes close to it.
    at = np.where(at < 1e-6, 0.0, at)
    mean, top = _profile(at, won, lost, run)
    wide = np.linspace(0, _RHO_MAX, 1000)
    inside = wide[_profile(wide, won, lost, run)[1] >= top[0] - _DROP]
    fitted = float(at[0])
    return Fit(
        difficulty=Difficulty(float(mean[0]), fitted),
        rho_low=min(float(inside.min(initial=fitted)), fitted),
        rho_high=max(float(inside.max(initial=fitted)), fitted),
        tasks=len(successes),
        runs=int(runs.sum()),
        log_likelihood=float(top[0]),
    )


def fit_runs(results: Results, index: Mapping[str, Sequence[str]] | None, threshold: float) -> Fit:
    """Fit how hard the tasks of these runs are; a task takes part with the runs that have a score.

    Raises:
        InputError: They hold several settings, or the fit cannot be made from them.
    """
    runs, first = results.runs, results.runs[0].label
    units, _ = units_of(runs, index)
    tables = [table for table in tables_of("runs", runs, units, harmful_of(runs), several=False) if not table.harm]
    if len(tables) != 1:
        models = ", ".join("/".join(table.condition) for table in tables)
        raise InputError(f"{first}: holds several settings ({models}); name a deeper folder")
    counts = count(tables[0], AnalysisChoices(threshold=threshold))
    some = counts.scored > 0
    fit = fit_difficulty(counts.successes[some], counts.scored[some])
    if isinstance(fit, NotIdentified):
        raise InputError(f"{first}: {fit.reason}")
    return fit


def _profile(rho: FloatArray, won: IntArray, lost: IntArray, run: IntArray) -> tuple[FloatArray, FloatArray]:
    """The best mean for each rho, and the log-likelihood there (without the part that does not depend on them)."""
    steps = np.arange(len(run)) * (rho / (1 - rho))[:, None]
    low, high = np.zeros(len(rho)), np.ones(len(rho))
    for _ in range(50):
        mean = (low + high) / 2
        # Concave in the mean, so the sign of the slope says where to go.
        slope = np.sum(won / (mean[:, None] + steps) - lost / (1 - mean[:, None] + steps), axis=1)
        low, high = np.where(slope > 0, mean, low), np.where(slope > 0, high, mean)
    mean = (low + high) / 2
    height = np.sum(
        won * np.log(mean[:, None] + steps) + lost * np.log(1 - mean[:, None] + steps) - run * np.log1p(steps), axis=1
    )
    return mean, height


def _more_than(x: IntArray, longest: int) -> IntArray:
    """How many entries are above 0, 1, … longest - 1."""
    return len(x) - np.cumsum(np.bincount(x, minlength=longest + 1))[:longest]
