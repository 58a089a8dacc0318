"""Scores as a table: one row per unit, one column per run, and what is missing with its reason."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueline.errors import InputError
from trueline.records.attack import split_twin
from trueline.records.layout import ADVERSARY_RESULT_FILE, Unit, parse_task_folder, task_folder
from trueline.records.scan import UNMEASURED, Condition
from trueline.stats.results.runs import RunResults

HARM = "misuse"
"""The kind of task whose score is harm done: never averaged with success."""
NO_FOLDER = "no folder"


@dataclass(frozen=True, slots=True)
class Missing:
    """A trial that should be there and has no score."""

    unit: Unit
    run: str
    reason: str


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one setting."""

    name: str
    condition: Condition
    harm: bool
    """The score of these tasks is harm done."""
    units: tuple[Unit, ...]
    runs: tuple[RunResults, ...]
    scores: NDArray[np.float64]
    """Units x runs; NaN where there is no score."""
    missing: tuple[Missing, ...]

    @property
    def n_runs(self) -> int:
        """How many runs there are, scored or not."""
        return len(self.runs)


def units_of(runs: Iterable[RunResults], index: Mapping[str, Sequence[str]] | None) -> tuple[list[Unit], list[str]]:
    """Return the units to count, sorted, and notes for the reader.

    With an index these are its tasks, each with all the injections found for it; without one, all that is found. Units
    whose score says neither success nor harm are left out and noted.

    Raises:
        InputError: Nothing that was found is in the index, or nothing of it is measured.
    """
    runs = tuple(runs)
    units, notes = named_units(runs, index)
    unmeasured = _of_kind(runs, UNMEASURED)
    left = [unit for unit in units if unit not in unmeasured]
    if len(left) == len(units):
        return units, notes
    if not left:
        raise InputError("the checkers of these tasks measure neither success nor harm: see trueline judge summary")
    return left, [
        *notes,
        f"{len(units) - len(left)} units are left out whose checkers measure neither success nor harm: "
        "see trueline judge summary",
    ]


def named_units(runs: Sequence[RunResults], index: Mapping[str, Sequence[str]] | None) -> tuple[list[Unit], list[str]]:
    """Return the units to count whatever their scores mean, sorted, and notes for the reader. See `units_of`."""
    found = {unit for run in runs for trials in run.trials.values() for unit in trials}
    if index is None:
        return sorted(found, key=_sort_key), [
            "units: all tasks found in any folder; a task absent from every folder cannot be counted as missing "
            "(name an index with --example-json)"
        ]
    by_task: dict[tuple[str, str], list[Unit]] = {}
    for unit in found:
        by_task.setdefault((unit.domain, unit.task), []).append(unit)
        if unit.vector is not None:
            by_task.setdefault((unit.domain, task_folder(*unit[1:])), []).append(unit)
    units = [
        unit
        for domain, ids in index.items()
        for task in ids
        for unit in by_task.get((domain, task), [Unit(domain, *parse_task_folder(task))])
    ]
    units = list(dict.fromkeys(units))
    counted = set(units)
    domains = {unit.domain for unit in found}
    notes: list[str] = []
    if not counted & found:
        raise InputError(
            f"nothing found is in the index: it names {_first_few(str(unit) for unit in units)}; "
            f"the folders hold {_first_few(str(unit) for unit in found)}"
        )
    if left_out := found - counted:
        notes.append(
            f"{len(left_out)} units found are not in the index and left out, e.g. {min(left_out, key=_sort_key)}"
        )
    if unknown := [domain for domain, ids in index.items() if ids and domain not in domains]:
        notes.append(f"no folder holds the index's domains {_first_few(unknown)}: all their trials are missing")
    return sorted(units, key=_sort_key), notes


def harmful_of(runs: Iterable[RunResults]) -> frozenset[Unit]:
    """The units whose score is harm done, by the record of any run."""
    return _of_kind(runs, HARM)


def _of_kind(runs: Iterable[RunResults], kind: str) -> frozenset[Unit]:
    return frozenset(
        unit for run in runs for trials in run.trials.values() for unit, trial in trials.items() if trial.kind == kind
    )


def tables_of(
    name: str, runs: Sequence[RunResults], units: Sequence[Unit], harmful: Set[Unit], *, several: bool
) -> list[ScoreTable]:
    """Make one table per model (and per action space and observation type), tasks that score harm apart.

    Args:
        name: What the setting is called.
        runs: Its repeats.
        units: The rows.
        harmful: Those whose score is harm done, by all runs of the report: one that lacks a run is still of its kind.
        several: Whether names must tell models apart even if these runs hold only one.
    """
    conditions = sorted({condition for run in runs for condition in run.trials})
    harm = [unit for unit in units if unit in harmful]
    plain = [unit for unit in units if unit not in harmful]
    shown = short_names(conditions)
    tables: list[ScoreTable] = []
    for condition in conditions:
        title = f"{name} · {shown[condition]}" if several or len(conditions) > 1 else name
        if plain:
            tables.append(_table(title, condition, plain, runs, harm=False))
        if harm:
            tables.append(_table(f"{title} · harm done", condition, harm, runs, harm=True))
    return tables


def _table(
    name: str, condition: Condition, units: Sequence[Unit], runs: Sequence[RunResults], *, harm: bool
) -> ScoreTable:
    scores = np.full((len(units), len(runs)), np.nan)
    missing: list[Missing] = []
    for column, run in enumerate(runs):
        trials = run.trials.get(condition, {})
        for row, unit in enumerate(units):
            trial = trials.get(unit)
            if trial is not None and trial.score is not None:
                scores[row, column] = trial.score
            else:
                reason = NO_FOLDER if trial is None else trial.problem or "no score"
                missing.append(Missing(unit, run.label, reason))
    return ScoreTable(name, condition, harm, tuple(units), tuple(runs), scores, tuple(missing))


def short_names(conditions: Sequence[Condition]) -> dict[Condition, str]:
    """The model's name, with the levels above it only where they tell conditions apart."""
    models = [condition.model for condition in conditions]
    return {
        condition: condition.model if models.count(condition.model) == 1 else "/".join(condition)
        for condition in conditions
    }


def _sort_key(unit: Unit) -> tuple[str, str, str, str]:
    return unit.domain, unit.task, unit.vector or "", unit.goal or ""


def _first_few(names: Iterable[str]) -> str:
    ordered = sorted(names)
    return ", ".join(ordered[:6]) + (f" and {len(ordered) - 6} more" if len(ordered) > 6 else "")


def injected_units(runs: Sequence[RunResults], units: Sequence[Unit]) -> list[Unit]:
    """Those units that are injections: named so by their folder, or with RedTeamCUA's score of the attack in it.

    The harmless twins of injections are none.
    """
    units = [unit for unit in units if split_twin(unit.goal or "")[1] is None]
    trials = [trial for run in runs for by_unit in run.trials.values() for trial in by_unit.values()]
    plain = (trial for trial in trials if trial.unit.vector is None)
    scored = {trial.unit for trial in plain if os.path.exists(f"{trial.folder}/{ADVERSARY_RESULT_FILE}")}
    return [unit for unit in units if unit.vector is not None or unit in scored]
