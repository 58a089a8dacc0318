"""Whose checkers scored the units of two settings: scores of different checkers may differ for the same final state."""

from __future__ import annotations

from trueline.records.layout import Unit
from trueline.stats.results.table import ScoreTable


def differently_scored(base: ScoreTable, new: ScoreTable) -> tuple[Unit, ...]:
    """The units that, as recorded, were not all scored by the same checkers in the runs of two settings, in order."""
    return tuple(unit for unit in base.units if len(_scorers(base, unit) | _scorers(new, unit)) > 1)


def _scorers(table: ScoreTable, unit: Unit) -> set[str]:
    found = (run.trials.get(table.condition, {}).get(unit) for run in table.runs)
    return {trial.scored_by for trial in found if trial and trial.score is not None and trial.scored_by is not None}
