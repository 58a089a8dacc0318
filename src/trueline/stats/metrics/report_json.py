"""The report of `metrics` as JSON, as CSV and as rows of a data frame."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.stats.comparisons.compare import Comparison, Flip
from trueline.stats.intervals import Interval
from trueline.stats.metrics.report import AdjustedP, MetricsReport
from trueline.stats.metrics.report_text import methods
from trueline.stats.pass_rates.summary import Rates, Summary
from trueline.tables import csv_table
from trueline.text import named

Json = dict[str, object]
_COLUMNS = ("setting", "model", "domain", "k", "n_tasks", "n_counted", "n_runs", "pass_hat", "ci_low", "ci_high",
            "pass_at")  # fmt: skip


def as_json(report: MetricsReport) -> Json:
    """Return the report as plain data; the keys are documented in docs/reference/metrics-json.md."""
    attack: object = None
    if report.attack is not None:
        from trueline.stats.attacks.report import attack_json

        attack = attack_json(report.attack)
    return {
        "settings": [_setting(summary, report) for summary in report.summaries],
        "comparisons": [
            _comparison(comparison, adjusted)
            for comparison, adjusted in zip(report.comparisons, report.adjusted, strict=True)
        ],
        "missing": [
            {"setting": summary.table.name, "task": str(item.unit), "run": item.run, "reason": item.reason}
            for summary in report.summaries
            for item in summary.table.missing
        ],
        "attack_success": attack,
        "methods": methods(report),
    }


def _setting(summary: Summary, report: MetricsReport) -> Json:
    table = summary.table
    return {
        "name": table.name,
        "model": table.condition.model,
        "action_space": table.condition.action_space,
        "observation_type": table.condition.observation_type,
        "harm": table.harm,
        "runs": [run.label for run in table.runs],
        "environments": list(report.environments[table.name]),
        "n_runs": table.n_runs,
        **_rates(summary.rates),
        "missing": len(table.missing),
        "by_domain": {domain: _rates(rates) for domain, rates in summary.by_domain.items()},
    }


def _rates(rates: Rates) -> Json:
    return {
        "n_tasks": rates.n_tasks,
        "n_complete": rates.n_complete,
        "n_counted": rates.n_counted,
        "pass_hat": {str(k): value for k, value in rates.pass_hat.items()},
        "pass_at": {str(k): value for k, value in rates.pass_at.items()},
        "ci": {str(k): _interval(interval) for k, interval in rates.ci.items()},
        "not_identified": {str(k): reason for k, reason in rates.not_identified.items()},
        "wilson": _interval(rates.wilson),
        "pass_bounds": {str(k): list(bounds) for k, bounds in rates.bounds.items()},
        "counts": {
            "always": rates.outcomes.always,
            "sometimes": rates.outcomes.sometimes,
            "never": rates.outcomes.never,
        },
        "histogram": list(rates.histogram),
        "mean_score": rates.mean_score,
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _comparison(comparison: Comparison, adjusted: AdjustedP) -> Json:
    paired, unequal = comparison.paired, comparison.unequal_runs
    worst, best = comparison.bounds.worst, comparison.bounds.best
    counted = paired if not unequal else None
    margin = comparison.noninferiority
    return {
        "base": comparison.base.name,
        "new": comparison.new.name,
        "n_tasks": comparison.n_pairs,
        "k": comparison.k,
        "unequal_runs": unequal,
        "b": counted.b if counted else None,
        "c": counted.c if counted else None,
        "b_minus_c": counted.b_minus_c if counted else None,
        "mcnemar_p": counted.flags.p if counted else None,
        "mcnemar_method": counted.flags.method if counted else None,
        "delta_c_mean": counted.delta_c_mean if counted else None,
        "delta_c_sum": counted.delta_c_sum if counted else None,
        "wilcoxon_p": counted.deltas.p if counted else None,
        "wilcoxon_method": counted.deltas.method if counted else None,
        "permutation": {
            str(comparison.k): {"p": paired.flags.p, "method": paired.flags.method},
            "1": {"p": paired.deltas.p, "method": paired.deltas.method},
        }
        if paired and unequal
        else None,
        "other_k": {str(k): {"p": test.p, "method": test.method} for k, test in paired.others.items()}
        if paired
        else {},
        "p_holm": {
            **(
                {str(comparison.k): adjusted.flags, "1": adjusted.deltas}
                if unequal
                else {"mcnemar": adjusted.flags, "wilcoxon": adjusted.deltas}
            ),
            **{str(k): p for k, p in adjusted.others.items()},
        },
        "difference": {str(k): value for k, value in comparison.difference.items()},
        "ci": {str(k): _interval(interval) for k, interval in comparison.ci.items()},
        "not_identified": {str(k): reason for k, reason in comparison.not_identified.items()},
        "bounds": {
            "b_minus_c": None if unequal else [worst.b_minus_c, best.b_minus_c],
            "mcnemar_p": None if unequal else [worst.flags.p, best.flags.p],
            "delta_c_mean": None if unequal else [worst.delta_c_mean, best.delta_c_mean],
            "wilcoxon_p": None if unequal else [worst.deltas.p, best.deltas.p],
            "permutation_p": {str(comparison.k): [worst.flags.p, best.flags.p], "1": [worst.deltas.p, best.deltas.p]}
            if unequal
            else None,
            "survives": {
                "mcnemar": comparison.bounds.flags_survive,
                "wilcoxon": comparison.bounds.deltas_survive,
                **{str(k): survives for k, survives in comparison.bounds.others_survive.items()},
            },
        },
        "noninferiority": {
            "passed": margin.passed,
            "margin": margin.margin,
            "difference": margin.difference,
            "bound": margin.bound,
            "level": margin.level,
            "method": margin.method,
        }
        if margin
        else None,
        "cross_environment": bool(comparison.shared),
        "shared_runs": list(comparison.shared),
        "pass_1_by_run": list(comparison.pass_1_by_run),
        "flips": {
            "gained": [_flip(flip) for flip in comparison.gained],
            "lost": [_flip(flip) for flip in comparison.lost],
        },
    }


def _flip(flip: Flip) -> Json:
    return {"task": str(flip.unit), "base": flip.base, "new": flip.new}


def rate_rows(report: MetricsReport) -> list[dict[str, str | int | float | None]]:
    """Return the rates as rows of a data frame: one per setting, domain if the report is by domain, and k."""
    rows: list[dict[str, str | int | float | None]] = []
    for summary in report.summaries:
        by_domain = summary.by_domain if report.by == "domain" else {"": summary.rates}
        for domain, rates in by_domain.items():
            for row in _rate_rows(summary, domain, rates):
                if report.by == "setting":
                    del row["domain"]
                # Bytes that are not UTF-8 are not text for a data frame.
                rows.append({key: named(value) if isinstance(value, str) else value for key, value in row.items()})
    return rows


def as_csv(report: MetricsReport) -> str:
    """One row per setting, domain (empty for all) and k."""
    rows = [
        row
        for summary in report.summaries
        for domain, rates in {"": summary.rates, **summary.by_domain}.items()
        for row in _rate_rows(summary, domain, rates)
    ]
    return csv_table(_COLUMNS, ([row[column] for column in _COLUMNS] for row in rows))


def _rate_rows(summary: Summary, domain: str, rates: Rates) -> Iterator[dict[str, str | int | float | None]]:
    table = summary.table
    for k, value in rates.pass_hat.items():
        interval = rates.ci.get(k)
        yield {
            "setting": table.name,
            "model": table.condition.model,
            "domain": domain,
            "k": k,
            "n_tasks": rates.n_tasks,
            "n_counted": rates.n_counted,
            "n_runs": table.n_runs,
            "pass_hat": value,
            "ci_low": interval.low if interval else None,
            "ci_high": interval.high if interval else None,
            "pass_at": rates.pass_at[k],
        }
