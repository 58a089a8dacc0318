"""The report of `metrics` as text: the reliability paper's table, and below it everything that the figures rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trueline.stats.comparisons.compare import Comparison, Flip, Test
from trueline.stats.intervals import Interval
from trueline.stats.metrics.report import AdjustedP, MetricsReport
from trueline.stats.pass_rates.summary import Rates, Summary
from trueline.tables import text_table
from trueline.text import printable

_SHOWN = 8
"""How many flips and missing trials the short text names."""


def as_text(report: MetricsReport, *, verbose: bool = False) -> str:
    """Return the whole report; `verbose` lists every flip, missing trial and domain."""
    blocks = [
        _main_table(report),
        _counts_table(report),
        *(
            _comparison(comparison, adjusted, report, verbose=verbose)
            for comparison, adjusted in zip(report.comparisons, report.adjusted, strict=True)
        ),
        _attack(report, verbose=verbose),
        text_table(domain_rows(report)) if verbose or report.by == "domain" else "",
        _missing(report, verbose=verbose),
        methods_text(report),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _main_table(report: MetricsReport) -> str:
    crossed = any(comparison.shared for comparison in report.comparisons)
    title = "cross-environment: a run stands in both lists\n" if crossed else ""
    return title + text_table(rate_rows(report))


def rate_rows(report: MetricsReport) -> list[list[str]]:
    """The reliability paper's table: Pass^k with intervals and the paired changes, one row per setting."""
    compared = {id(comparison.new): comparison for comparison in report.comparisons}
    rows = [["Setting", *(f"Pass^{k}" for k in report.shown_k), "b-c", "Δcx"]]
    for summary in report.summaries:
        comparison = compared.get(id(summary.table))
        name = _name(summary) + (" (cross-environment)" if comparison and comparison.shared else "")
        rates = [_rate(summary.rates, k) for k in report.shown_k]
        rows.append([name, *rates, *_paired_cells(comparison)])
    return rows


def _name(summary: Summary) -> str:
    return printable(summary.table.name, 80)


def _rate(rates: Rates, k: int) -> str:
    if k not in rates.pass_hat:
        return "–"
    interval = rates.ci.get(k)
    return f"{100 * rates.pass_hat[k]:.1f}" + (f" {_bracket(interval)}" if interval else "")


def _bracket(interval: Interval) -> str:
    return f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _paired_cells(comparison: Comparison | None) -> list[str]:
    if comparison is None or comparison.paired is None:
        return ["", ""]
    if comparison.unequal_runs:
        return ["n/a", "n/a"]
    paired = comparison.paired
    return [_starred(f"{paired.b_minus_c:+d}", paired.flags), _starred(f"{paired.delta_c_mean:+.3f}", paired.deltas)]


def _starred(text: str, test: Test) -> str:
    return f"{text}*" if test.significant else text


def _counts_table(report: MetricsReport) -> str:
    reasons = [
        f"{_name(summary)}: no interval of Pass^{k}: {why}"
        for summary in report.summaries
        for k, why in summary.rates.not_identified.items()
    ]
    return "\n".join([text_table(count_rows(report)), *reasons])


def count_rows(report: MetricsReport) -> list[list[str]]:
    """How many tasks, runs and missing trials each setting has, and its bounds."""
    rows = [["Setting", "tasks", "complete", "runs", "missing", "always", "sometimes", "never", "mean score",
             "Wilson", "bounds"]]  # fmt: skip
    for summary in report.summaries:
        n, rates = summary.table.n_runs, summary.rates
        low, high = rates.bounds[n]
        rows.append(
            [
                _name(summary),
                str(rates.n_tasks),
                str(rates.n_complete),
                str(n),
                f"{len(summary.table.missing)} of {rates.n_tasks * n}",
                str(rates.outcomes.always),
                str(rates.outcomes.sometimes),
                str(rates.outcomes.never),
                "–" if rates.mean_score is None else f"{100 * rates.mean_score:.1f}",
                f"Pass^{n} {_bracket(rates.wilson)}" if rates.wilson else "–",
                f"Pass^{n} {100 * low:.1f} … {100 * high:.1f}",
            ]
        )
    return rows


def _comparison(comparison: Comparison, adjusted: AdjustedP, report: MetricsReport, *, verbose: bool) -> str:
    head = f"{printable(comparison.new.name, 80)} against {printable(comparison.base.name, 80)}: "
    paired, k = comparison.paired, comparison.k
    if paired is None:
        return head + "no task can be counted in both, so nothing is compared"
    lines = [head + f"{comparison.n_pairs} tasks counted in both"]
    if comparison.unequal_runs:
        lines += [
            f"  {comparison.base.n_runs} and {comparison.new.n_runs} runs: McNemar and Wilcoxon would compare unlike "
            f"things, so Pass^{k} and Pass^1 are compared instead",
            f"  Pass^{k} {_change(comparison, k)}, {_p(paired.flags, adjusted.flags)}",
            f"  Pass^1 {_change(comparison, 1)}, {_p(paired.deltas, adjusted.deltas)}",
        ]
    else:
        lines += [
            f"  b-c = {paired.b_minus_c:+d} ({paired.b} became reliable, {paired.c} stopped being so), "
            f"{_p(paired.flags, adjusted.flags)}",
            f"  Δcx = {paired.delta_c_mean:+.3f} per task (sum {paired.delta_c_sum:+d}), "
            f"{_p(paired.deltas, adjusted.deltas)}",
            f"  Pass^{k} {_change(comparison, k)}" + (f"; Pass^1 {_change(comparison, 1)}" if k > 1 else ""),
        ]
    lines += [
        f"  Pass^{j} {_change(comparison, j)}, {_p(test, adjusted.others.get(j))}" for j, test in paired.others.items()
    ]
    lines += [f"  Pass^{k}: no interval, {reason}" for k, reason in comparison.not_identified.items()]
    if limit := comparison.noninferiority:
        word = "not inferior" if limit.passed else "non-inferiority is not shown"
        lines.append(
            f"  {word} in Pass^{k} with a margin of {100 * limit.margin:g} points: "
            f"lower {limit.level:.0%} bound {100 * limit.bound:+.1f}"
        )
    lines += _ends(comparison, report)
    lines += _scorers(comparison)
    if comparison.shared:
        lines += _across_environments(comparison, report)
    lines += _flips("gained", comparison.gained, verbose=verbose) + _flips("lost", comparison.lost, verbose=verbose)
    return "\n".join(lines)


def _change(comparison: Comparison, k: int) -> str:
    interval = comparison.ci.get(k)
    return f"{100 * comparison.difference[k]:+.1f} points" + (f" {_bracket(interval)}" if interval else "")


def _p(test: Test, adjusted: float | None) -> str:
    holm = "" if adjusted is None else f" (Holm {_p_value(adjusted)})"
    return f"{_p_value(test.p)}{holm}; {test.method}"


def _p_value(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _ends(comparison: Comparison, report: MetricsReport) -> list[str]:
    """What the missing trials could change."""
    if report.options.missing != "bounds" or not (comparison.base.missing or comparison.new.missing):
        return []
    worst, best = comparison.bounds.worst, comparison.bounds.best
    if comparison.unequal_runs:
        k = comparison.k
        names = (f"Pass^{k}", "Pass^1")
        ranges = [
            f"{name} between {_at(worst.change[j], low, '+.3f')} and {_at(best.change[j], high, '+.3f')}"
            for name, j, low, high in zip(
                names, (k, 1), (worst.flags, worst.deltas), (best.flags, best.deltas), strict=True
            )
        ]
        flags, deltas = ranges
    else:
        names = ("b-c", "Δcx")
        flags = f"b-c between {_at(worst.b_minus_c, worst.flags, '+d')} and {_at(best.b_minus_c, best.flags, '+d')}"
        deltas = f"Δcx between {_at(worst.delta_c_mean, worst.deltas, '+.3f')} and "
        deltas += _at(best.delta_c_mean, best.deltas, "+.3f")
    lines = [f"  over all {len(comparison.base.units)} tasks the missing trials leave {flags}, {deltas}"]
    others = {f"Pass^{k}": survives for k, survives in comparison.bounds.others_survive.items()}
    for column, survives in {
        names[0]: comparison.bounds.flags_survive,
        names[1]: comparison.bounds.deltas_survive,
        **others,
    }.items():
        word = "holds at both ends" if survives else "does NOT survive: the missing trials could change it"
        lines.append(f"  the conclusion on {column} {word}")
    return lines


def _at(value: float, test: Test, form: str) -> str:
    return f"{value:{form}} ({_p_value(test.p)})"


def _scorers(comparison: Comparison) -> list[str]:
    units = comparison.differently_scored
    if not units:
        return []
    return [
        f"  {len(units)} tasks were scored by different checkers (native and bridged), so differences may come from "
        f"them, e.g. {printable(str(units[0]))}: run both with the same --checkers"
    ]


def _across_environments(comparison: Comparison, report: MetricsReport) -> list[str]:
    lines = [f"  shared run: {printable(label)}" for label in comparison.shared]
    environments = report.environments[comparison.new.name]
    for run, environment, rate in zip(comparison.new.runs, environments, comparison.pass_1_by_run, strict=True):
        shown = "–" if rate is None else f"{100 * rate:.1f}"
        lines.append(f"  Pass^1 {shown} in {printable(run.label)} (environment {printable(environment)})")
    return lines


def _flips(word: str, flips: Sequence[Flip], *, verbose: bool) -> list[str]:
    if not flips:
        return []
    shown = flips if verbose else flips[:_SHOWN]
    names = ", ".join(f"{printable(str(flip.unit), 120)} ({flip.base}→{flip.new})" for flip in shown)
    more = f" and {len(flips) - len(shown)} more (--verbose)" if len(shown) < len(flips) else ""
    return [f"  {word} ({len(flips)}): {names}{more}"]


def _attack(report: MetricsReport, *, verbose: bool) -> str:
    if report.attack is None:
        return ""
    from trueline.stats.attacks.report import attack_text

    return attack_text(report.attack, verbose=verbose)


def domain_rows(report: MetricsReport) -> list[list[str]]:
    """Pass^k of each domain, one row per domain and setting."""
    rows = [["Domain", "Setting", "tasks", "complete", *(f"Pass^{k}" for k in report.shown_k)]]
    domains = sorted({domain for summary in report.summaries for domain in summary.by_domain})
    for domain in domains:
        for summary in report.summaries:
            if rates := summary.by_domain.get(domain):
                cells = [_rate(rates, k) for k in report.shown_k]
                rows.append([printable(domain), _name(summary), str(rates.n_tasks), str(rates.n_complete), *cells])
    return rows


def _missing(report: MetricsReport, *, verbose: bool) -> str:
    everything = [(summary.table.condition, item) for summary in report.summaries for item in summary.table.missing]
    if not everything:
        return "Missing trials: none"
    # A run that stands in two lists is told once; two models in one folder are two trials of the same name.
    several = len({condition for condition, _ in everything}) > 1
    unique = sorted(
        {
            (condition, str(item.unit), f"{item.run} ({'/'.join(condition)})" if several else item.run, item.reason)
            for condition, item in everything
        }
    )
    lines = [f"Missing trials: {len(unique)}"]
    if verbose:
        return "\n".join([*lines, *(f"  {printable(run)}: {printable(unit)}: {why}" for _, unit, run, why in unique)])
    reasons = Counter((run, why) for _, _, run, why in unique).most_common()
    lines += [f"  {printable(run)}: {count} x {why}" for (run, why), count in reasons[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"  and {len(reasons) - _SHOWN} more reasons (--verbose lists every trial)")
    return "\n".join(lines)


def methods_text(report: MetricsReport) -> str:
    """Return one line per method."""
    return "\n".join(f"{key}: {value}" for key, value in methods(report).items())


def methods(report: MetricsReport) -> dict[str, str]:
    """How every figure was computed, by name."""
    options = report.options
    policies = {
        "bounds": "rates over tasks whose runs all have a score; bounds take every missing trial as failed … succeeded",
        "exclude": "rates over tasks whose runs all have a score; conclusions say nothing of the missing trials",
        "fail": "a missing trial counts as a failure, of a misuse task as harm done",
    }
    inferences = {
        "population": "population: the tasks stand for others like them",
        "suite": "suite: these tasks only, the runs are the only noise",
    }
    found = {
        "*": "p < 0.05 of that column's own test, before adjustment",
        "success": f"score >= {options.threshold:g}",
        "missing": policies[options.missing],
        "inference": inferences[options.inference],
    }
    interval = next((i for summary in report.summaries for i in summary.rates.ci.values()), None)
    if interval:
        found["intervals"] = f"{interval.level:.0%}, {interval.method}"
    if report.attack is not None:
        from trueline.stats.attacks.report import attack_method

        found["attack success"] = attack_method(report.attack)
    if report.clustered:
        found["clusters"] = "injections into one task, and a task with its _aug rephrasing, are resampled together"
    if report.family:
        found["Holm"] = f"adjusted over the {report.family} tests of this report"
    environments = sorted({name for names in report.environments.values() for name in names})
    found["environment"] = printable(", ".join(environments), 400)
    for number, note in enumerate(report.notes, 1):
        found[f"note {number}"] = printable(note, 400)
    return found
