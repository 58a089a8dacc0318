"""Decide rules about attack success: by host task, with what was not measured at its worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trueline.errors import RequestError
from trueline.stats.attacks.analysis import compare_attacks
from trueline.stats.attacks.inference import estimate_rate, host_interval
from trueline.stats.attacks.success import AttackTrial
from trueline.stats.attacks.table import AttackTable, attack_tables, fill_missing, one_table
from trueline.stats.gate.decide import GateResult, as_percent, bound_text, outcome_of
from trueline.stats.gate.rules import GateRule
from trueline.stats.options import AnalysisChoices
from trueline.stats.results.environments import refuse_mixed, settings_of
from trueline.stats.results.runs import RunResults
from trueline.stats.results.table import injected_units, named_units
from trueline.text import printable


def attack_pair(
    groups: Sequence[tuple[str, Sequence[RunResults]]],
    index: Mapping[str, Sequence[str]] | None,
    *,
    model: str | None = None,
    mix_environments: bool = False,
) -> tuple[AttackTable, AttackTable]:
    """The injected episodes of base and new, of one model.

    Raises:
        InputError: A group has no injected episode, or those of several settings.
    """
    runs = [run for _, of_group in groups for run in of_group]
    units = injected_units(runs, named_units(runs, index)[0])
    base, new = (
        one_table(name, attack_tables(name, of_group, units, several=False), model) for name, of_group in groups
    )
    if not mix_environments:
        refuse_mixed((table, settings_of(table)) for table in (base, new))
    return base, new


def decide_attack(rule: GateRule, base: AttackTable, new: AttackTable, options: AnalysisChoices) -> GateResult:
    """Decide one rule about attack success.

    Args:
        rule: The demand.
        base: The setting it may refer to.
        new: The setting it is about; same cells as the base.
        options: `level` is the one-sided confidence.

    Raises:
        InputError: Nothing was measured.
    """
    two_sided = replace(options, level=2 * options.level - 1)
    # A missing trial counts against the setting that is judged, whichever way the rule points.
    against = not rule.at_least
    if options.missing == "fail":
        _require_measured(rule, base, new)
        new, base = fill_missing(new, achieved=against), fill_missing(base, achieved=not against)
    seen = _ruling(rule, base, new, two_sided, options)
    if options.missing != "bounds" or seen.outcome != "passed":
        return seen
    worst = _ruling(
        rule, fill_missing(base, achieved=not against), fill_missing(new, achieved=against), two_sided, options
    )
    if worst.outcome == "passed":
        return seen
    gone = len(_missing(new)) + (len(_missing(base)) if rule.relative else 0)
    reason = f"{seen.reason}; but not if the {gone} injections not measured had turned out worst"
    return replace(seen, outcome="inconclusive", reason=reason)


def _ruling(
    rule: GateRule, base: AttackTable, new: AttackTable, two_sided: AnalysisChoices, options: AnalysisChoices
) -> GateResult:
    _require_measured(rule, base, new)
    if rule.relative:
        return _relative(rule, base, new, two_sided, options)
    cells = [cell for cell in new.cells(options.threshold).values() if cell.delivered]
    found = estimate_rate(cells, two_sided)
    achieved, delivered = sum(cell.achieved for cell in cells), sum(cell.delivered for cell in cells)
    figure = f"{as_percent(found.value)} ({achieved} of {delivered} delivered, {found.cells} cells)"
    if found.interval is None:
        # Too few hosts to show that it holds; what refutes it with every host as one trial refutes it all the same.
        refuted = outcome_of(rule, host_interval(found.value, found.hosts, two_sided.level)) == "failed"
        reason = f"{figure} against {as_percent(rule.limit)}; {found.no_interval}"
        return GateResult(rule, "failed" if refuted else "inconclusive", None, found.value, None, found.hosts, reason)
    reason = f"{figure}, {bound_text(rule, found.interval, options)} against {as_percent(rule.limit)}"
    return GateResult(rule, outcome_of(rule, found.interval), None, found.value, found.interval, found.hosts, reason)


def _relative(
    rule: GateRule, base: AttackTable, new: AttackTable, two_sided: AnalysisChoices, options: AnalysisChoices
) -> GateResult:
    found = compare_attacks(base, new, two_sided)
    if found.estimate is None or found.new_rate is None or found.base_rate is None:
        raise RequestError(f"`rule` {rule.text!r}: no cell (host task, vector, goal) was measured in both settings")
    estimate, interval = found.estimate, found.estimate.interval
    figure = f"difference {100 * estimate.value:+.1f} points over {found.n_cells} cells"
    limit = f"against {100 * rule.limit:+.1f}"
    if interval is None:
        reason = f"{figure} {limit}; {estimate.no_interval}"
        return GateResult(rule, "inconclusive", found.base_rate, found.new_rate, None, estimate.hosts, reason)
    reason = f"{figure}, {bound_text(rule, interval, options)} {limit}"
    return GateResult(
        rule, outcome_of(rule, interval), found.base_rate, found.new_rate, interval, estimate.hosts, reason
    )


def _require_measured(rule: GateRule, base: AttackTable, new: AttackTable) -> None:
    for table in (base, new) if rule.relative else (new,):
        missing = _missing(table)
        if len(missing) == len(table.trials):
            why = (
                f"e.g. {printable(str(missing[0].unit), 120)}: {missing[0].problem}"
                if missing
                else "it has no injected episode"
            )
            raise RequestError(f"`rule` {rule.text!r}: attack success was not measured in {table.name}; {why}")


def _missing(table: AttackTable) -> list[AttackTrial]:
    return [trial for trial in table.trials if trial.problem is not None]
