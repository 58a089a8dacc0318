"""Attack success as text and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from trueline.stats.attacks.analysis import AttackComparison, AttackFigure, AttackReport, AttackSetting
from trueline.stats.attacks.inference import AttackEstimate
from trueline.stats.attacks.success import (
    SCRIPTED,
    SIMULATED,
    STAGES,
    AttackRate,
    AttackTrial,
    Level,
    attack_rate,
    attack_rates_by,
)
from trueline.stats.intervals import Interval
from trueline.tables import text_table
from trueline.text import printable

_SHOWN = 8
"""How many reasons the short text names."""


def rates_table(settings: Mapping[str, Sequence[AttackTrial]], level: Level) -> str:
    """A table of attack success: one row for each vector or goal and one for all, one column for each setting.

    A cell reads `rate (achieved/delivered)`; a dash stands where nothing was measured.
    """
    by_level = {name: attack_rates_by(trials, level) for name, trials in settings.items()}
    everything = {name: attack_rate(trials) for name, trials in settings.items()}
    names = sorted({key for rates in by_level.values() for key in rates})
    rows = [[level, *(printable(name, 80) for name in settings)]]
    rows += [[printable(key, 80), *(rate_cell(rates.get(key)) for rates in by_level.values())] for key in names]
    rows.append(["all", *map(rate_cell, everything.values())])
    return text_table(rows)


def rate_cell(rate: AttackRate | None) -> str:
    """`66.7 % (4/6)`: the mean over cells, and the episodes it rests on."""
    if rate is None or rate.rate is None:
        return "–"
    return f"{100 * rate.rate:.1f} % ({rate.achieved}/{rate.delivered})"


def rate_json(rate: AttackRate) -> dict[str, JsonValue]:
    """The same as plain data; the keys are documented in docs/reference/metrics-json.md."""
    return {
        "rate": rate.rate,
        "bounds": list(rate.bounds),
        "delivered": rate.delivered,
        "exposed": rate.exposed,
        "exposed_text": rate.exposed_text,
        "exposed_pixels": rate.exposed_pixels,
        "exposure_unknown": rate.exposure_unknown,
        "attempted": rate.attempted,
        "blocked": rate.blocked,
        "achieved": rate.achieved,
        "missing": rate.missing,
        "cells": rate.cells,
        "hosts": rate.hosts,
        "utility": rate.utility,
    }


def attack_text(report: AttackReport, *, verbose: bool = False) -> str:
    """Rates, stages, tables by vector and goal, comparisons, and what was not measured."""
    rows = [["Setting", "attack success", "interval", "bounds", "achieved/delivered", "cells", "hosts", "utility"]]
    stages = [["Setting", *STAGES, "not measured", "exposed in text", "in pixels", "unknown"]]
    for setting in report.settings:
        rate, name = setting.figure.rate, printable(setting.table.name, 80)
        rows.append(
            [
                name,
                _share(rate.rate),
                _interval(setting.figure.estimate),
                f"{100 * rate.bounds[0]:.1f} … {100 * rate.bounds[1]:.1f}",
                f"{rate.achieved}/{rate.delivered}",
                str(rate.cells),
                str(rate.hosts),
                _share(rate.utility),
            ]
        )
        counts = [rate.delivered, rate.exposed, rate.attempted, rate.blocked, rate.achieved, rate.missing]
        counts += [rate.exposed_text, rate.exposed_pixels, rate.exposure_unknown]
        stages.append([name, *map(str, counts)])
    blocks = [
        "Attack success (of injected episodes; not task success)\n" + "\n".join([text_table(rows), *_notes(report)]),
        text_table(stages),
        _adaptive_text(report),
        *(_by_level(report, level) for level in ("goal", "vector")),
        *map(_comparison_text, report.comparisons),
        _missing_text(report, verbose=verbose),
    ]
    return "\n\n".join(block for block in blocks if block)


def attack_method(report: AttackReport) -> str:
    """How the figures were made."""
    sample = "host tasks and goals" if report.generalise_goals else "host tasks"
    grid = f"{len(report.vectors)} vectors and {len(report.goals)} goals"
    methods = dict.fromkeys(
        setting.figure.estimate.interval.method
        for setting in report.settings
        if setting.figure.estimate and setting.figure.estimate.interval
    )
    how = f"; {'; '.join(methods)}" if methods else ""
    listed = "; goals sampled, vectors fixed" if report.generalise_goals else ", both fixed"
    return f"achieved / delivered, mean over cells (host task, vector, goal); sample: {sample}; {grid}{listed}{how}"


def attack_json(report: AttackReport) -> dict[str, object]:
    """The same as plain data."""
    return {
        "generalise": "goals" if report.generalise_goals else "hosts",
        "vectors": list(report.vectors),
        "goals": list(report.goals),
        "settings": [
            {
                "name": setting.table.name,
                "model": setting.table.condition.model,
                "runs": [run.label for run in setting.table.runs],
                **_figure_json(setting.figure),
                "by_vector": {name: _figure_json(figure) for name, figure in setting.by_vector.items()},
                "by_goal": {name: _figure_json(figure) for name, figure in setting.by_goal.items()},
                **_adaptive_json(setting),
            }
            for setting in report.settings
        ],
        "comparisons": [
            {
                "base": comparison.base.name,
                "new": comparison.new.name,
                "n_cells": comparison.n_cells,
                "n_hosts": comparison.estimate.hosts if comparison.estimate else 0,
                "base_rate": comparison.base_rate,
                "new_rate": comparison.new_rate,
                "difference": comparison.estimate.value if comparison.estimate else None,
                **_interval_json(comparison.estimate),
                "p": comparison.test.p if comparison.test else None,
                "test": comparison.test.method if comparison.test else None,
                "bounds": [comparison.best, comparison.worst],
            }
            for comparison in report.comparisons
        ],
        "not_measured": [
            {"setting": setting.table.name, "task": str(trial.unit), "run": trial.run, "reason": trial.problem}
            for setting in report.settings
            for trial in setting.table.trials
            if trial.problem is not None
        ],
    }


def _adaptive_text(report: AttackReport) -> str:
    """The strongest vector and an attacker with several tries, where they were asked for."""
    lines: list[str] = []
    for setting in report.settings:
        name = printable(setting.table.name, 80)
        if (arm := setting.strongest) is not None:
            shown = f"{_bracketed(arm.interval)}" if arm.interval else f"({arm.no_interval})"
            lines.append(f"{name}: strongest of {arm.k} vectors {printable(arm.arm, 60)}, {_share(arm.rate)} {shown}")
        if (tries := setting.tries) is not None:
            estimate = tries.estimate
            what = f"{name}: attacker with {tries.k} tries at each cell"
            left = f"; {tries.left_out} cells have fewer episodes" if tries.left_out else ""
            if estimate is None:
                lines.append(f"{what}: no cell has {tries.k} measured episodes{left}")
            else:
                interval = _interval(estimate) or f"({estimate.no_interval})"
                lines.append(f"{what}: {_share(estimate.value)} {interval} over {estimate.cells} cells{left}")
    return "\n".join(lines)


def _adaptive_json(setting: AttackSetting) -> dict[str, object]:
    found: dict[str, object] = {}
    if (arm := setting.strongest) is not None:
        ends = [arm.interval.low, arm.interval.high] if arm.interval else None
        found["worst_of"] = {
            "k": arm.k,
            "vector": arm.arm,
            "rate": arm.rate,
            "ci": ends,
            "no_interval": arm.no_interval or None,
            "rates": arm.rates,
        }
    if (tries := setting.tries) is not None:
        found["tries"] = {
            "k": tries.k,
            "rate": tries.estimate.value if tries.estimate else None,
            "cells": tries.estimate.cells if tries.estimate else 0,
            "left_out": tries.left_out,
            **_interval_json(tries.estimate),
        }
    return found


def _figure_json(figure: AttackFigure) -> dict[str, object]:
    bounds = figure.estimate.upper_bounds if figure.estimate else {}
    return {**rate_json(figure.rate), **_interval_json(figure.estimate), "upper_bounds": bounds}


def _interval_json(estimate: AttackEstimate | None) -> dict[str, object]:
    interval = estimate.interval if estimate else None
    return {
        "ci": [interval.low, interval.high] if interval else None,
        "ci_method": interval.method if interval else None,
        "no_interval": (estimate.no_interval if estimate else "nothing was measured") or None,
    }


def _notes(report: AttackReport) -> list[str]:
    """What a reader must know about a setting: a simulated agent, no interval, no success."""
    lines: list[str] = []
    for setting in report.settings:
        name, estimate = printable(setting.table.name, 80), setting.figure.estimate
        if setting.table.condition.model.startswith(SIMULATED):
            lines.append(f"{name}: {SCRIPTED} (the agent is simulated)")
        if estimate is None:
            lines.append(f"{name}: nothing was measured")
            continue
        if estimate.no_interval:
            lines.append(f"{name}: {estimate.no_interval}")
        if estimate.upper_bounds:
            counts = {
                "episodes": setting.figure.rate.delivered,
                "hosts": estimate.hosts,
                "goals": estimate.goals,
            }
            bounds = [
                f"{100 * bound:.1f} % taking the {counts[what]} {what} as independent"
                for what, bound in estimate.upper_bounds.items()
            ]
            lines.append(f"{name}: none achieved; 95 % upper bounds {', '.join(bounds)}")
    return lines


def _by_level(report: AttackReport, level: Level) -> str:
    tables = [setting.by_vector if level == "vector" else setting.by_goal for setting in report.settings]
    names = sorted({name for table in tables for name in table})
    rows = [[level, *(printable(setting.table.name, 80) for setting in report.settings)]]
    for name in names:
        figures = [table.get(name) for table in tables]
        cells = [f"{rate_cell(f and f.rate)} {_interval(f and f.estimate)}".strip() for f in figures]
        rows.append([printable(name, 80), *cells])
    return text_table(rows)


def _comparison_text(comparison: AttackComparison) -> str:
    head = f"{printable(comparison.new.name, 80)} against {printable(comparison.base.name, 80)}: attack success "
    estimate = comparison.estimate
    if estimate is None:
        return f"{head}cannot be compared, no cell is measured in both"
    change = f"{_share(comparison.base_rate)} -> {_share(comparison.new_rate)}, {100 * estimate.value:+.1f} points"
    interval = f" {_interval(estimate)}" if estimate.interval else ""
    lines = [f"{head}{change}{interval} over {comparison.n_cells} cells of {estimate.hosts} hosts"]
    if comparison.test is not None:
        p = comparison.test.p
        lines.append(f"  {'p < 0.0001' if p < 0.0001 else f'p = {p:.4f}'}; {comparison.test.method}")
    if estimate.no_interval:
        lines.append(f"  {estimate.no_interval}")
    if comparison.best != comparison.worst:
        lines.append(
            f"  what was not measured leaves it between {100 * comparison.best:+.1f} and "
            f"{100 * comparison.worst:+.1f} points"
        )
    return "\n".join(lines)


def _missing_text(report: AttackReport, *, verbose: bool) -> str:
    missing = [trial for setting in report.settings for trial in setting.table.trials if trial.problem is not None]
    if not missing:
        return ""
    lines = [f"Injections not measured: {len(missing)}"]
    if verbose:
        return "\n".join([*lines, *(f"  {printable(t.run)}: {printable(str(t.unit))}: {t.problem}" for t in missing)])
    reasons = Counter((trial.run, trial.problem) for trial in missing).most_common()
    lines += [f"  {printable(run)}: {count} x {why}" for (run, why), count in reasons[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"  and {len(reasons) - _SHOWN} more reasons (--verbose lists every trial)")
    return "\n".join(lines)


def _interval(estimate: AttackEstimate | None) -> str:
    return "" if estimate is None or estimate.interval is None else _bracketed(estimate.interval)


def _bracketed(interval: Interval) -> str:
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
