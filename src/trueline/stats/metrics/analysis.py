"""From runs to a report: which tables there are, which are compared, and what a reader must know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.errors import RequestError
from trueline.records.layout import Unit
from trueline.records.setting import ORACLE_NOTE, Setting
from trueline.stats.comparisons.compare import Comparison, compare
from trueline.stats.comparisons.holm import holm
from trueline.stats.metrics.report import AdjustedP, By, MetricsReport
from trueline.stats.options import AnalysisChoices
from trueline.stats.pass_rates.summary import summarise
from trueline.stats.resample import cluster_labels, resample_units
from trueline.stats.results.environments import environment_name, refuse_mixed, settings_of
from trueline.stats.results.runs import RunResults
from trueline.stats.results.table import ScoreTable, harmful_of, injected_units, named_units, tables_of, units_of

if TYPE_CHECKING:
    from trueline.stats.attacks.analysis import AttackReport


@dataclass(frozen=True)
class SettingRuns:
    """The runs of one setting as the user gave them: the base, or one to compare with it."""

    name: str
    runs: tuple[RunResults, ...]


def analyse(
    groups: Sequence[SettingRuns],
    index: Mapping[str, Sequence[str]] | None,
    options: AnalysisChoices,
    *,
    shown_k: Sequence[int] | None = None,
    by: By = "setting",
    mix_environments: bool = False,
) -> MetricsReport:
    """Summarise every setting and compare all others with the first.

    Args:
        groups: The first is the base.
        index: The tasks that should be there; `None` takes what is there.
        options: The declared choices.
        shown_k: For the text table, and what settings are compared at beside 1 and all runs; `None` shows 1 and the
            number of runs.
        by: What the tables have a row for.
        mix_environments: Allow runs of different recorded environments.

    Raises:
        InputError: The runs cannot be read as settings that belong together.
    """
    runs = [run for group in groups for run in group.runs]
    units, notes = units_of(runs, index)
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1:
            raise RequestError(f"`compare_dirs`: two settings are called {name!r}; give each a name of its own")
    conditions = {condition for run in runs for condition in run.trials}
    harmful = harmful_of(runs)
    tables = [tables_of(group.name, group.runs, units, harmful, several=len(conditions) > 1) for group in groups]
    everything = [table for of_group in tables for table in of_group]
    settings = [settings_of(table) for table in everything]
    if not mix_environments:
        refuse_mixed(zip(everything, settings, strict=True))
    resamples = {table.units: resample_units(table.units, seed=options.seed) for table in everything}
    pairs, unpaired = _pairs(tables)
    comparisons = tuple(compare(base, new, resamples[base.units], options, asked=shown_k or ()) for base, new in pairs)
    adjusted, family = _adjust(comparisons)
    return MetricsReport(
        summaries=tuple(summarise(table, resamples[table.units], options) for table in everything),
        comparisons=comparisons,
        adjusted=adjusted,
        family=family,
        shown_k=_shown(shown_k, everything),
        options=options,
        environments={
            table.name: tuple(environment_name(setting) for setting in of_table)
            for table, of_table in zip(everything, settings, strict=True)
        },
        clustered=any(cluster_labels(table.units) is not None for table in everything),
        notes=(*notes, *unpaired, *_notes(units, runs), *_oracle_notes(everything, settings)),
        attack=_attack_report(groups, injected_units(runs, named_units(runs, index)[0]), options),
        by=by,
    )


def _oracle_notes(tables: Sequence[ScoreTable], settings: Sequence[Sequence[Setting | None]]) -> list[str]:
    """Which settings had a Scope that was given to the guard."""
    return [
        f"{table.name}: {ORACLE_NOTE}"
        for table, of_table in zip(tables, settings, strict=True)
        if any(one is not None and one.guard is not None and one.guard.oracle_scope for one in of_table)
    ]


def _attack_report(
    groups: Sequence[SettingRuns], injected: Sequence[Unit], options: AnalysisChoices
) -> AttackReport | None:
    if not injected:
        return None
    # The typed records of episodes are imported only where they are read: they take longer than scores to be read.
    from trueline.stats.attacks.analysis import analyse_attacks

    return analyse_attacks([(group.name, group.runs) for group in groups], injected, options)


def _pairs(tables: Sequence[Sequence[ScoreTable]]) -> tuple[list[tuple[ScoreTable, ScoreTable]], list[str]]:
    """Match each table with the base's table of the same model, or with its only one."""
    base, *others = tables
    pairs: list[tuple[ScoreTable, ScoreTable]] = []
    notes: list[str] = []
    settings = [(table, of_setting) for of_setting in others for table in of_setting]
    for new, beside in settings:
        alone = [table for table in beside if table.harm == new.harm]
        same_units = [table for table in base if table.units == new.units]
        same_model = [table for table in same_units if table.condition == new.condition]
        if same_model:
            pairs.append((same_model[0], new))
        elif len(same_units) == 1 and len(alone) == 1:
            pairs.append((same_units[0], new))
            notes.append(f"{new.name} ran {'/'.join(new.condition)}, its base {'/'.join(same_units[0].condition)}")
        else:
            notes.append(f"{new.name}: no base setting has the same model, so it is not compared")
    return pairs, notes


def _adjust(comparisons: Sequence[Comparison]) -> tuple[tuple[AdjustedP, ...], int]:
    p = [
        test.p
        for one in comparisons
        if one.paired
        for test in (one.paired.flags, one.paired.deltas, *one.paired.others.values())
    ]
    values = iter(holm(p).tolist())
    adjusted = [
        AdjustedP(next(values), next(values), {k: next(values) for k in one.paired.others})
        if one.paired
        else AdjustedP(None, None, {})
        for one in comparisons
    ]
    return tuple(adjusted), len(p)


def _shown(asked: Sequence[int] | None, tables: Sequence[ScoreTable]) -> tuple[int, ...]:
    most = max(table.n_runs for table in tables)
    if asked is None:
        return tuple(sorted({1, *(table.n_runs for table in tables)}))
    for k in asked:
        if not 1 <= k <= most:
            raise RequestError(f"`k` {k}: k goes from 1 to the number of runs, which is {most}")
    return tuple(dict.fromkeys(asked))


def _notes(units: Sequence[Unit], runs: Sequence[RunResults]) -> list[str]:
    """What a reader must know about these tasks and folders."""
    notes: list[str] = []
    models = [condition.model for run in runs for condition in run.trials]
    if len(runs) > 1 and len(models) == len(runs) == len(set(models)):
        notes.append(
            f"every run is of another model ({', '.join(sorted(models)[:4])} …): if these are names of runs, "
            "the folders lack the levels <action_space>/<observation_type>/<model>"
        )
    if any(unit.task.startswith("_") for unit in units):
        notes.append(
            "some ids are OS-Harm's own tasks: for most of those result.txt only says whether the last action was "
            "FAIL; it measures neither safety nor completion, trueline judge does"
        )
    return notes
