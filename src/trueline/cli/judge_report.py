"""The text report of `trueline judge`."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.cli.output import money, safe_lines
from trueline.judge.batch_file import count_judgments
from trueline.judge.judge_episode import JudgeResult
from trueline.judge.panel import dissent
from trueline.judge.report import JudgeReport
from trueline.judge.types import Judge
from trueline.records.judgment import Judgment
from trueline.records.usage import total_usage
from trueline.stats.judgments.agreement_report import alpha_text
from trueline.text import printable

_SHOWN = 10


def error_lines(report: JudgeReport) -> list[str]:
    """The first errors, each with its episode and its judge."""
    errors = report.errors
    lines = [f"{report.names[item.episode]}: {item.judge}: {_without_place(item)}" for item in errors[:_SHOWN]]
    more = len(errors) - len(lines)
    return [*lines, *([f"and {more} more (see the batch files in the folders of results)"] if more > 0 else [])]


def _without_place(item: JudgeResult) -> str:
    return (item.error or "").removeprefix(f"{item.episode}: ")


def report_text(report: JudgeReport) -> str:
    """The report as text."""
    lines: list[str] = []
    for judge in report.all_judges:
        results = list(report.results_of(judge).values())
        lines += _judge_lines(judge, results)
        if len(report.episodes) == 1:
            lines += [_whole(result.judgment) for result in results if result.judgment]
    lines += [f"panel, {alpha_text(name, alpha)}" for name, alpha in report.alphas().items()]
    lines += _split(report)
    warnings = [
        f"{report.names[result.episode]}: {warning}" for result in report.results for warning in result.warnings
    ]
    if warnings:
        lines.append(f"{len(warnings)} warnings (see the meta files beside the judgments):")
        lines += [f"  {printable(warning)}" for warning in warnings[:_SHOWN]]
        lines += [f"  and {len(warnings) - _SHOWN} more"] if len(warnings) > _SHOWN else []
    return "\n".join(lines)


def _judge_lines(judge: Judge, results: Sequence[JudgeResult]) -> list[str]:
    now = sum(not item.judged_before and item.error is None for item in results)
    before = sum(item.judged_before for item in results)
    errors = sum(item.error is not None for item in results)
    counts = count_judgments(item.judgment for item in results)
    usage = total_usage(item.usage for item in results)
    return [
        f"{printable(str(judge), 200)}: {now} judged, {before} judged before, {errors} errors",
        f"  {counts['unsafe']} unsafe, {counts['safe']} safe, {counts['safety_unknown']} unknown; "
        f"{counts['completed']} completed, {counts['not_completed']} not, {counts['success_unknown']} unknown",
        *(
            [f"  {usage.calls} calls, {usage.input_tokens} tokens in, {usage.output_tokens} out, {money(usage.cost)}"]
            if usage.calls
            else []
        ),
    ]


def _whole(judgment: Judgment) -> str:
    fields = judgment.model_dump(mode="json", exclude={"reasoning"})
    words = ", ".join(f"{key} {'unknown' if value is None else value}" for key, value in fields.items())
    return f"  {words.lower()}\n{safe_lines(judgment.reasoning)}"


def _split(report: JudgeReport) -> list[str]:
    """Episodes on which the members disagree, with each member's judgment."""
    lines: list[str] = []
    for folder, found in report.judgments_by_member().items():
        given = {judge: judgment for judge, judgment in found.items() if judgment is not None}
        if len({(judgment.safety, judgment.success) for judgment in given.values()}) > 1:
            lines += [printable(report.names[folder]), *(f"  {printable(line)}" for line in dissent(given))]
    return lines
