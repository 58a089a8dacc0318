"""A report on a guard as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from trueline.stats.detection.compare import GuardComparison
from trueline.stats.detection.report import CategoryReport, DetectionReport
from trueline.stats.detection.scores import METRICS, ConfusionCounts, Rate, Scores
from trueline.stats.detection.stages import StageReport, TimeAndCost
from trueline.stats.intervals import Interval
from trueline.tables import csv_table

Json = dict[str, JsonValue]


def as_json(report: DetectionReport) -> Json:
    """The whole report; who ran the bench adds the wall clock."""
    usage = report.usage
    return {
        "detector": report.name,
        **scores_json(report.scores),
        "trajectories": report.trajectories,
        "missing": report.missing,
        "without_narratives": report.without_narratives,
        "undecided_as": {
            "enforced": {"on_error": report.settings.on_error, **scores_json(report.enforced)},
            "excluded": scores_json(report.scores),
            "aligned": scores_json(report.as_aligned),
        },
        "by_category": {name: _category(part) for name, part in report.by_category.items()},
        "by_source": {name: scores_json(part) for name, part in report.by_source.items()},
        "by_agent": {name: scores_json(part) for name, part in report.by_agent.items()},
        "at_prevalence": [
            {"prevalence": share, "precision": rate.value, "ci": ends(rate.ci)}
            for share, rate in report.at_prevalence.items()
        ],
        "false_stops": {
            "steps": report.stops.steps,
            "expected": report.stops.expected.value,
            "ci": ends(report.stops.expected.ci),
            "any": report.stops.any.value,
        },
        "stages": {stage.value: _stage(part) for stage, part in report.stages.items()},
        "narratives": time_and_cost_json(report.narratives),
        "latency": {"p50": report.checks.p50, "p95": report.checks.p95},
        "calls": usage.calls,
        "cost": usage.cost,
        "known_cost": report.known_cost,
        "alternatives": [
            {"detector": other.name, **scores_json(other.scores)} for other in report.alternatives
        ],
        "compare": [_comparison(name, part) for name, part in report.comparisons.items()],
        "methods": methods(report),
    }  # fmt: skip


def scores_json(scores: Scores) -> Json:
    """Counts, rates and intervals of some steps."""
    rates = {name: rate_of(scores, name) for name in METRICS}
    return {
        **_counts(scores.counts),
        **{name: rate.value for name, rate in rates.items()},
        "ci": {name: ends(rate.ci) for name, rate in rates.items()},
    }


def rate_of(scores: Scores, metric: str) -> Rate:
    """One of the four rates by its name."""
    rate: Rate = getattr(scores, metric)
    return rate


def methods(report: DetectionReport) -> Json:
    """How every figure was made."""
    first = next((r.ci for s in (report.scores, report.enforced) for r in s[1:] if r.ci is not None), None)
    found: Json = {
        "positive class": "misaligned",
        "rates": "over decided steps; undecided ones stand outside of tp, fp, tn, fn",
        "intervals": (
            "none: at least two trajectories are needed"
            if first is None
            else f"{first.level:.0%}, score interval with the design effect of a {report.method}"
        ),
        "at prevalence and false stops": f"as enforced (on error: {report.settings.on_error})",
    }
    for name, part in report.comparisons.items():
        found[f"compared with {name}"] = f"{part.method}; {part.left_out} steps that one left undecided are not in it"
    return found


def as_csv(report: DetectionReport) -> str:
    """One row per guard and part of the steps."""
    bounds = [f"{name}_{end}" for name in METRICS for end in ("low", "high")]
    columns = ["detector", "part", "name", "n", *ConfusionCounts._fields, *METRICS, *bounds]
    rows: list[Json] = []
    for detector, part, name, scores in _parts(report):
        rates = {metric: rate_of(scores, metric) for metric in METRICS}
        head: Json = {"detector": detector, "part": part, "name": name}
        rows.append({**head, **_counts(scores.counts), **_rate_cells(rates)})
    for name, part in report.by_category.items():
        head = {"detector": report.name, "part": "category", "name": name}
        cells: Json = {"n": part.n, "tp": part.tp, "fn": part.fn, "undecided": part.undecided}
        rows.append({**head, **cells, **_rate_cells({"recall": part.recall})})
    return csv_table(columns, ([row.get(column) for column in columns] for row in rows))


def _rate_cells(rates: Mapping[str, Rate]) -> Json:
    cells: Json = {name: rate.value for name, rate in rates.items()}
    for name, rate in rates.items():
        if rate.ci is not None:
            cells |= {f"{name}_low": rate.ci.low, f"{name}_high": rate.ci.high}
    return cells


def _parts(report: DetectionReport) -> Iterator[tuple[str, str, str, Scores]]:
    yield report.name, "all", "undecided excluded", report.scores
    yield report.name, "all", "as enforced", report.enforced
    yield report.name, "all", "undecided as aligned", report.as_aligned
    for part, named in (("source", report.by_source), ("agent", report.by_agent)):
        for name, scores in named.items():
            yield report.name, part, name, scores
    for other in report.alternatives:
        yield other.name, "all", "undecided excluded", other.scores


def _counts(counts: ConfusionCounts) -> Json:
    return {"n": counts.n, **counts._asdict()}


def _category(part: CategoryReport) -> Json:
    return {
        "n": part.n,
        "tp": part.tp,
        "fn": part.fn,
        "undecided": part.undecided,
        "recall": part.recall.value,
        "ci": ends(part.recall.ci),
    }


def _stage(stage: StageReport) -> Json:
    return {
        "looked": stage.checked,
        "decided": stage.decided,
        "passed_on": stage.passed_on,
        "failed": stage.failed,
        **{name: value for name, value in _counts(stage.counts).items() if name not in ("n", "undecided")},
        **time_and_cost_json(stage.time_and_cost),
    }


def time_and_cost_json(spent: TimeAndCost) -> Json:
    """Time and money."""
    usage = spent.usage
    return {
        "latency": {"p50": spent.p50, "p95": spent.p95},
        "calls": usage.calls,
        "tokens_in": usage.input_tokens,
        "tokens_out": usage.output_tokens,
        "cost": usage.cost,
        "known_cost": spent.known_cost,
        "unpriced": spent.unpriced,
    }


def _comparison(name: str, part: GuardComparison) -> Json:
    return {
        "with": name,
        "n": part.n,
        "left_out": part.left_out,
        "trajectories": part.trajectories,
        **{
            metric: {"this": d.new, "other": d.base, "difference": d.difference, "p": d.p}
            for metric, d in part.metrics.items()
        },
    }


def ends(interval: Interval | None) -> list[JsonValue] | None:
    """Both ends of an interval, or nothing."""
    return None if interval is None else [interval.low, interval.high]
