"""Evaluate the rules of a gate on the results of two settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from trueline.errors import RequestError
from trueline.records.scan import RESULT_FILE
from trueline.stats.gate.attacks import attack_pair, decide_attack
from trueline.stats.gate.decide import GateResult, decide, decide_missing
from trueline.stats.gate.report import GateReport
from trueline.stats.gate.rules import GateRule, parse_rule
from trueline.stats.options import AnalysisChoices, MissingPolicy, check_choice
from trueline.stats.resample import resample_units
from trueline.stats.results.environments import refuse_mixed, settings_of
from trueline.stats.results.read import Folders, Index, load_index, read_results
from trueline.stats.results.runs import RunResults
from trueline.stats.results.table import ScoreTable, harmful_of, tables_of, units_of

Settings = Sequence[tuple[str, Sequence[RunResults]]]
"""The runs of each setting by name: the base, then the new one."""
TablePair = tuple[ScoreTable, ScoreTable]
Inconclusive = Literal["fail", "pass"]


def evaluate_gate(
    base: Folders,
    new: Folders,
    rules: Sequence[str],
    *,
    title: str,
    model: str | None = None,
    level: float = 0.95,
    inconclusive: Inconclusive = "fail",
    mix_environments: bool = False,
    generalise: Literal["hosts", "goals"] = "hosts",
    example_json: Index | None = None,
    threshold: float = 1.0,
    missing: MissingPolicy = "bounds",
    result_file: str = RESULT_FILE,
    seed: int = 0,
) -> GateReport:
    """Decide every rule and whether the gate opens. The options are the flags of `trueline gate`.

    Raises:
        InputError: A rule or an option is wrong, or the folders do not hold what the rules are about.
    """
    if not 0.5 < level < 1:
        raise RequestError(f"`level` {level}: must be above 0.5 and below 1")
    check_choice("inconclusive", inconclusive, get_args(Inconclusive))
    options = AnalysisChoices(
        threshold=threshold, missing=missing, level=level, generalise_goals=generalise == "goals", seed=seed
    )
    parsed = [parse_rule(text) for text in rules]
    if options.generalise_goals and all(rule.metric != "attack_success" for rule in parsed):
        raise RequestError("`generalise` goals applies to attack_success only, which no `rule` names")
    settings = [(name, read_results(at, result_file=result_file).runs) for name, at in (("base", base), ("new", new))]
    rulings = _decide_all(parsed, settings, load_index(example_json), options, model, mix_environments=mix_environments)
    if inconclusive == "pass":
        opened = all(ruling.outcome != "failed" for ruling in rulings)
    else:
        opened = all(ruling.passed for ruling in rulings)
    return GateReport(title, tuple(rulings), opened)


def _decide_all(
    rules: Sequence[GateRule],
    settings: Settings,
    index: Mapping[str, Sequence[str]] | None,
    options: AnalysisChoices,
    model: str | None,
    *,
    mix_environments: bool,
) -> list[GateResult]:
    """One ruling for each rule; only what the rules name is read."""
    attacks = plain = harm = None
    if any(rule.metric == "attack_success" for rule in rules):
        attacks = attack_pair(settings, index, model=model, mix_environments=mix_environments)
    if any(rule.metric != "attack_success" for rule in rules):
        plain, harm = paired_tables(settings, index, model=model, mix_environments=mix_environments)
    rulings: list[GateResult] = []
    for rule in rules:
        if rule.metric == "attack_success":
            assert attacks is not None
            rulings.append(decide_attack(rule, *attacks, options))
            continue
        if rule.metric == "missing" and (plain or harm):
            rulings.append(decide_missing(rule, [pair[1] for pair in (plain, harm) if pair is not None]))
            continue
        pair = harm if rule.metric == "harm" else plain
        if pair is None:
            kind = "misuse tasks" if rule.metric == "harm" else "tasks whose score is success"
            raise RequestError(f"`rule` {rule.text!r}: the folders hold no {kind}")
        rulings.append(decide(rule, *pair, resample_units(pair[0].units, seed=options.seed), options))
    return rulings


def paired_tables(
    settings: Settings,
    index: Mapping[str, Sequence[str]] | None,
    *,
    model: str | None = None,
    mix_environments: bool = False,
) -> tuple[TablePair | None, TablePair | None]:
    """Return base and new of one model: the tasks whose score is success, and those whose score is harm.

    Raises:
        InputError: There are several models and none is named, or a setting has none of that name.
    """
    all_runs = [run for _, runs in settings for run in runs]
    units, _ = units_of(all_runs, index)
    harmful = harmful_of(all_runs)
    chosen: list[list[ScoreTable]] = []
    for name, runs in settings:
        tables = tables_of(name, runs, units, harmful, several=False)
        models = sorted({table.condition.model for table in tables})
        if model is None and len({table.condition for table in tables}) > 1:
            raise RequestError(f"{runs[0].label}: holds several settings ({', '.join(models)}); choose with `model`")
        picked = [table for table in tables if model in (None, table.condition.model)]
        if not picked:
            raise RequestError(f"`model` {model}: {name} holds only {', '.join(models)}")
        chosen.append(picked)
    if not mix_environments:
        refuse_mixed((table, settings_of(table)) for tables in chosen for table in tables)
    base, new = chosen

    def pair(*, harm: bool) -> TablePair | None:
        return next(((a, b) for a in base for b in new if a.harm == b.harm == harm and a.units == b.units), None)

    return pair(harm=False), pair(harm=True)
