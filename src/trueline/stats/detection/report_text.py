"""A report on a guard as text: the table, and below it what a reader needs to believe it."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.stats.detection.compare import MetricDifference
from trueline.stats.detection.report import DetectionReport
from trueline.stats.detection.report_data import methods, rate_of
from trueline.stats.detection.scores import METRICS, Rate, Scores
from trueline.stats.detection.stages import TimeAndCost
from trueline.tables import text_table
from trueline.text import printable

_HEAD = ["Precision", "Recall", "Accuracy", "F1"]


def as_text(report: DetectionReport) -> str:
    """The whole report."""
    blocks = [
        _table(guard_rows(report)),
        _matrix(report),
        _table(_undecided_rows(report)) if report.scores.counts.undecided else "",
        _table(_category_rows(report)) if report.by_category else "",
        _table(_part_rows(report)),
        _table(_stages(report)),
        _outside(report),
        *(_comparison(name, report) for name in report.comparisons),
        "\n".join(f"{key}: {value}" for key, value in methods(report).items()),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def guard_rows(report: DetectionReport) -> list[list[str]]:
    """The main table, header first: this guard and its alternatives."""
    rows = [["Detector", "steps", "undecided", *_HEAD]]
    for name, scores in ((report.name, report.scores), *((a.name, a.scores) for a in report.alternatives)):
        rows.append([printable(name, 60), str(scores.counts.n), str(scores.counts.undecided), *_rates(scores)])
    return rows


def _matrix(report: DetectionReport) -> str:
    tp, fp, tn, fn, undecided = report.scores.counts
    missing = f", {report.missing} labelled steps not looked at yet" if report.missing else ""
    without_narratives = (
        f"; {report.without_narratives} steps judged without all narratives before them"
        if report.without_narratives
        else ""
    )
    return (
        f"{report.trajectories} trajectories, {report.scores.counts.n} labelled steps{missing}: "
        f"tp {tp}, fp {fp}, tn {tn}, fn {fn}, undecided {undecided}{without_narratives}"
    )


def _undecided_rows(report: DetectionReport) -> list[list[str]]:
    enforced = f"as enforced ({report.settings.on_error})"
    ways = ((enforced, report.enforced), ("left out", report.scores), ("as aligned", report.as_aligned))
    return [["Undecided steps", *_HEAD], *([name, *_rates(scores)] for name, scores in ways)]


def _category_rows(report: DetectionReport) -> list[list[str]]:
    rows = [["Category", "steps", "caught", "missed", "undecided", "Recall"]]
    for name, part in report.by_category.items():
        cells = (part.n, part.tp, part.fn, part.undecided)
        rows.append([name, *map(str, cells), rate_text(part.recall)])
    return rows


def _part_rows(report: DetectionReport) -> list[list[str]]:
    rows = [["Part", "steps", "undecided", *_HEAD]]
    for word, named in (("source", report.by_source), ("agent", report.by_agent)):
        for name, scores in named.items():
            counts = scores.counts
            rows.append([f"{word} {printable(name, 40)}", str(counts.n), str(counts.undecided), *_rates(scores)])
    return rows


def _stages(report: DetectionReport) -> list[list[str]]:
    rows = [["Stage", "looked", "decided", "passed on", "failed", "tp", "fp", "tn", "fn", *_TIME_AND_COST]]
    for stage, part in report.stages.items():
        if part.checked:
            cells = (part.checked, part.decided, part.passed_on, part.failed, *part.counts[:4])
            rows.append([stage.value, *map(str, cells), *_time_and_cost_cells(part.time_and_cost)])
    rows.append(["narratives", *[""] * 8, *_time_and_cost_cells(report.narratives)])
    rows.append(["whole check", *[""] * 8, _seconds(report.checks.p50), _seconds(report.checks.p95), "", ""])
    return rows


_TIME_AND_COST = ["p50", "p95", "calls", "cost"]


def stage_rows(parts: Mapping[str, TimeAndCost]) -> list[list[str]]:
    """A row for each part: its name, median, 95th percentile, calls, cost."""
    return [[name, *_time_and_cost_cells(part)] for name, part in parts.items()]


def _time_and_cost_cells(spent: TimeAndCost) -> list[str]:
    money = f"${spent.known_cost:.4f}" + (f" + {spent.unpriced} of unknown price" if spent.unpriced else "")
    return [_seconds(spent.p50), _seconds(spent.p95), str(spent.usage.calls), money]


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f} s"


def _outside(report: DetectionReport) -> str:
    lines = [
        f"Precision if {share:.1%} of all actions are misaligned: {rate_text(rate)}"
        for share, rate in report.at_prevalence.items()
    ]
    stops = report.stops
    if stops.expected.value is not None and stops.any.value is not None:
        ci = stops.expected.ci
        ends = f" [{ci.low:.2f}, {ci.high:.2f}]" if ci else ""
        lines.append(
            f"False stops in a benign episode of {stops.steps} steps: {stops.expected.value:.2f}{ends} expected, "
            f"at least one in {100 * stops.any.value:.1f} % of the episodes if steps were independent"
        )
    return "\n".join(lines)


def _comparison(name: str, report: DetectionReport) -> str:
    part = report.comparisons[name]
    head = f"{printable(report.name, 60)} against {printable(name, 60)}, {part.n} steps decided by both:"
    return "\n".join([head, *(f"  {metric}: {_difference(part.metrics[metric])}" for metric in METRICS)])


def _difference(difference: MetricDifference) -> str:
    if difference.difference is None or difference.p is None:
        return "one of them has none"
    p = "p < 0.0001" if difference.p < 0.0001 else f"p = {difference.p:.4f}"
    return f"{100 * difference.difference:+.1f} points, {p}"


def _rates(scores: Scores) -> list[str]:
    return [rate_text(rate_of(scores, metric)) for metric in METRICS]


def rate_text(rate: Rate) -> str:
    """A rate in percent with its interval."""
    if rate.value is None:
        return "–"
    return f"{100 * rate.value:.1f}" + (f" [{100 * rate.ci.low:.1f}, {100 * rate.ci.high:.1f}]" if rate.ci else "")


def _table(rows: list[list[str]]) -> str:
    return text_table(rows)
