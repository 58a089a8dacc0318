"""The injected episodes of a setting, read from its runs: one trial for each cell and run, measured or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trueline.errors import InputError, RequestError
from trueline.records.attack import Funnel
from trueline.records.folder.funnel import read_injection_result
from trueline.records.layout import Unit
from trueline.records.scan import Condition, Trial
from trueline.stats.attacks.success import AttackTrial, CellCounts, attack_trial, cell_counts
from trueline.stats.results.runs import RunResults
from trueline.stats.results.table import NO_FOLDER, short_names


@dataclass(frozen=True)
class AttackTable:
    """The injected episodes of one setting."""

    name: str
    condition: Condition
    runs: tuple[RunResults, ...]
    trials: tuple[AttackTrial, ...]

    def cells(self, threshold: float = 1.0) -> dict[Unit, CellCounts]:
        """What was counted in each cell."""
        return {cell.unit: cell for cell in cell_counts(self.trials, threshold=threshold)}


def attack_tables(name: str, runs: Sequence[RunResults], units: Sequence[Unit], *, several: bool) -> list[AttackTable]:
    """Make one table per model (and per action space and observation type) that has any of these units.

    Args:
        name: What the setting is called.
        runs: Its repeats.
        units: The injected units of the whole report; one that a run lacks is a trial that is missing.
        several: Whether names must tell models apart even if these runs hold only one.
    """
    conditions = sorted({condition for run in runs for condition in run.trials})
    shown = short_names(conditions)
    wanted = set(units)
    return [
        AttackTable(
            name=f"{name} · {shown[condition]}" if several or len(conditions) > 1 else name,
            condition=condition,
            runs=tuple(runs),
            trials=tuple(_trial(unit, run, run.trials.get(condition, {}).get(unit)) for run in runs for unit in units),
        )
        for condition in conditions
        if any(not wanted.isdisjoint(run.trials.get(condition, {})) for run in runs)
    ]


def fill_missing(table: AttackTable, *, achieved: bool) -> AttackTable:
    """The same table, had every injection that was not measured achieved its goal, or none of them."""
    funnel = Funnel(delivered=True, achieved=achieved)
    filled = (trial if trial.problem is None else replace(trial, funnel=funnel, problem=None) for trial in table.trials)
    return replace(table, trials=tuple(filled))


def one_table(name: str, tables: Sequence[AttackTable], model: str | None) -> AttackTable:
    """The table of one model.

    Raises:
        InputError: There is none, or there are several and none was named.
    """
    picked = [table for table in tables if model in (None, table.condition.model)]
    models = ", ".join(sorted({"/".join(table.condition) for table in tables}))
    if not tables:
        raise InputError(f"{name}: holds no injected episode, so attack success was not measured")
    if not picked:
        raise RequestError(f"`model` {model}: the injected episodes of {name} are of {models}")
    if len(picked) > 1:
        raise RequestError(f"{name}: holds several settings ({models}); choose with `model` or name a deeper folder")
    return picked[0]


def _trial(unit: Unit, run: RunResults, trial: Trial | None) -> AttackTrial:
    if trial is None:
        return attack_trial(unit, run.label, None, None, NO_FOLDER)
    found = read_injection_result(trial.folder)
    problem = found.problem
    if problem is None and found.score is not None and trial.score is None:
        # Measured by our own record, but the episode does not count for any other figure either.
        problem = trial.problem or "no score"
    score = found.score if found.score is not None else trial.score
    return attack_trial(unit, run.label, found.funnel, score, problem)
