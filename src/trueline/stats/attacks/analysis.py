"""Attack success of several settings: rates with intervals, by vector and by goal, and paired comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trueline.records.layout import Unit
from trueline.stats.attacks.adaptive import StrongestArm, TriesFigure, strongest_arm, success_of_tries
from trueline.stats.attacks.inference import (
    AttackEstimate,
    AttackTest,
    compare_cells,
    estimate_rate,
)
from trueline.stats.attacks.success import (
    AttackRate,
    AttackTrial,
    Level,
    attack_rate,
    attack_rates_by,
    cell_counts,
    level_name,
)
from trueline.stats.attacks.table import AttackTable, attack_tables
from trueline.stats.options import AnalysisChoices
from trueline.stats.results.runs import RunResults


@dataclass(frozen=True)
class AttackFigure:
    """A rate and, where anything was measured, its estimate."""

    rate: AttackRate
    estimate: AttackEstimate | None


@dataclass(frozen=True)
class AttackSetting:
    """One setting."""

    table: AttackTable
    figure: AttackFigure
    by_vector: dict[str, AttackFigure]
    by_goal: dict[str, AttackFigure]
    strongest: StrongestArm | None = None
    """The strongest vector, if it was asked for and anything was measured."""
    tries: TriesFigure | None = None
    """An attacker with several tries, if that was asked for."""


@dataclass(frozen=True)
class AttackComparison:
    """A setting compared with its base, over the cells measured in both."""

    base: AttackTable
    new: AttackTable
    n_cells: int
    base_rate: float | None
    new_rate: float | None
    estimate: AttackEstimate | None
    """Estimate of the difference; `None` when no cell is measured in both."""
    test: AttackTest | None
    worst: float
    """The difference over all cells, had what is missing turned out worst for the new setting."""
    best: float


@dataclass(frozen=True)
class AttackReport:
    """Attack success of all settings that were attacked."""

    settings: tuple[AttackSetting, ...]
    comparisons: tuple[AttackComparison, ...]
    generalise_goals: bool
    vectors: tuple[str, ...]
    goals: tuple[str, ...]


def analyse_attacks(
    groups: Iterable[tuple[str, Sequence[RunResults]]], injected: Sequence[Unit], options: AnalysisChoices
) -> AttackReport:
    """Summarise every setting and compare all others with the first.

    Args:
        groups: The settings by name, the base first.
        injected: The injected units of the report, at least one.
        options: The declared choices.
    """
    groups = list(groups)
    runs = [run for _, of_group in groups for run in of_group]
    several = len({condition for run in runs for condition in run.trials}) > 1
    base, *others = [attack_tables(name, of_group, injected, several=several) for name, of_group in groups]
    pairs = [(old, new) for of_group in others for new in of_group for old in _base_of(base, new, len(of_group))]
    return AttackReport(
        settings=tuple(_setting(table, options) for of_group in (base, *others) for table in of_group),
        comparisons=tuple(compare_attacks(old, new, options) for old, new in pairs),
        generalise_goals=options.generalise_goals,
        vectors=tuple(sorted({unit.vector for unit in injected if unit.vector})),
        goals=tuple(sorted({unit.goal for unit in injected if unit.goal})),
    )


def compare_attacks(base: AttackTable, new: AttackTable, options: AnalysisChoices) -> AttackComparison:
    """Compare two settings cell by cell."""
    before, after = base.cells(options.threshold), new.cells(options.threshold)
    both = [unit for unit, cell in before.items() if cell.delivered and unit in after and after[unit].delivered]
    old, late = [before[unit] for unit in both], [after[unit] for unit in both]
    estimate, test = compare_cells(old, late, options) if both else (None, None)
    low, high = attack_rate(base.trials).bounds, attack_rate(new.trials).bounds
    return AttackComparison(
        base=base,
        new=new,
        n_cells=len(both),
        base_rate=_mean([cell.achieved / cell.delivered for cell in old]),
        new_rate=_mean([cell.achieved / cell.delivered for cell in late]),
        estimate=estimate,
        test=test,
        worst=high[1] - low[0],
        best=high[0] - low[1],
    )


def _figure(trials: Sequence[AttackTrial], rate: AttackRate, options: AnalysisChoices) -> AttackFigure:
    """The estimate beside a rate."""
    cells = [cell for cell in cell_counts(trials, threshold=options.threshold) if cell.delivered]
    return AttackFigure(rate, estimate_rate(cells, options) if cells else None)


def _setting(table: AttackTable, options: AnalysisChoices) -> AttackSetting:
    def by(level: Level) -> dict[str, AttackFigure]:
        # A table by goal is about each goal by itself.
        own = replace(options, generalise_goals=False)
        rates = attack_rates_by(table.trials, level, threshold=options.threshold)
        return {
            name: _figure([trial for trial in table.trials if level_name(trial.unit, level) == name], rate, own)
            for name, rate in rates.items()
        }

    rate = attack_rate(table.trials, threshold=options.threshold)
    figure, vectors = _figure(table.trials, rate, options), by("vector")
    cells = cell_counts(table.trials, threshold=options.threshold)
    arms = {name: [cell for cell in cells if level_name(cell.unit, "vector") == name] for name in vectors}
    return AttackSetting(
        table,
        figure,
        vectors,
        by("goal"),
        strongest=None if options.worst_of is None else strongest_arm(arms, options.worst_of, options),
        tries=None if options.tries is None else success_of_tries(cells, options.tries, options),
    )


def _base_of(base: Sequence[AttackTable], new: AttackTable, beside: int) -> list[AttackTable]:
    """The base's table of the same model, or its only one."""
    same = [table for table in base if table.condition == new.condition]
    return same or (list(base) if len(base) == beside == 1 else [])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
