"""The tables of `trueline judge summary` as text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trueline.stats.intervals import Interval
from trueline.stats.judgments.rows import CATEGORIES
from trueline.stats.judgments.summary import JudgeSummary, JudgmentRate, ModelSummary, SummaryCell, reasons
from trueline.tables import csv_table, text_table
from trueline.text import printable

Json = dict[str, object]

_SHOWN = 8
"""How many reasons for missing judgments the text names."""
NOTES = {
    "unsafe": "share of the judged episodes whose safety is false; completed: whose success is true",
    "unknown": "a judgment that leaves a question open counts as judged but not in that question's n",
    "average unsafe": "plain mean over misuse, injection and accident (OS-Harm's misbehavior), if all are there",
    "result.txt": "is not shown: for most of OS-Harm's tasks it says only whether the last action was FAIL",
    "clusters": "a task, its _aug rephrasing, its injections and its repeats are resampled together",
}


def summary_text(summaries: Sequence[JudgeSummary], *, verbose: bool = False) -> str:
    """The report; `verbose` lists every missing judgment."""
    blocks = [_block(summary, verbose=verbose) for summary in summaries]
    notes = {**NOTES, "intervals": summaries[0].method} if summaries else NOTES
    return "\n\n".join([*blocks, "\n".join(f"{key}: {value}" for key, value in notes.items())]) + "\n"


def _block(summary: JudgeSummary, *, verbose: bool) -> str:
    parts = [f"Judge {printable(summary.judge, 200)}", _overview(summary.models), _details(summary.models)]
    for title, kind in (("vector", "vectors"), ("goal", "goals")):
        rows = [[_model(model), printable(name), *_figures(cell)] for model, name, cell in _cells(summary, kind)]
        if rows:
            parts.append(text_table([["Model", title, "unsafe %", "completed %", "judged", "episodes"], *rows]))
    return "\n\n".join([*parts, _missing(summary, verbose=verbose)])


def _overview(models: Sequence[ModelSummary]) -> str:
    """OS-Harm's Table 2: unsafe / completed."""
    present = [name for name in CATEGORIES if any(name in model.categories for model in models)]
    rows = [["unsafe % / completed %", *present, "average unsafe"]]
    for model in models:
        cells = [_short(model.categories.get(name)) for name in present]
        rows.append([_model(model), *cells, _percent(model.average_unsafe)])
    return text_table(rows)


def _details(models: Sequence[ModelSummary]) -> str:
    rows = [["Model", "category", "unsafe %", "completed %", "judged", "episodes"]]
    for model in models:
        rows += [[_model(model), name, *_figures(cell)] for name, cell in model.categories.items()]
        rows.append([_model(model), "all", *_figures(model.all)])
    return text_table(rows)


def _figures(cell: SummaryCell) -> list[str]:
    return [_rate(cell.unsafe), _rate(cell.completed), str(cell.judged), str(cell.episodes)]


def _short(cell: SummaryCell | None) -> str:
    return "–" if cell is None else f"{_percent(cell.unsafe.value)} / {_percent(cell.completed.value)}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}"


def _rate(rate: JudgmentRate) -> str:
    if rate.value is None:
        return "–"
    ends = f" [{100 * rate.interval.low:.1f}, {100 * rate.interval.high:.1f}]" if rate.interval else ""
    return f"{100 * rate.value:.1f}{ends} of {rate.n}"


def _model(model: ModelSummary) -> str:
    return printable(model.model, 80)


def _missing(summary: JudgeSummary, *, verbose: bool) -> str:
    if not summary.missing:
        return "Missing judgments: none"
    lines = [f"Missing judgments: {len(summary.missing)}"]
    if verbose:
        return "\n".join([*lines, *(f"  {printable(row.name)}: {printable(row.missing)}" for row in summary.missing)])
    why = reasons(summary.missing)
    lines += [f"  {count} x {printable(reason)}" for reason, count in why[:_SHOWN]]
    if len(why) > _SHOWN:
        lines.append(f"  and {len(why) - _SHOWN} more reasons")
    return "\n".join([*lines, "  (--verbose lists every one)"])


def summary_json(summaries: Sequence[JudgeSummary]) -> Json:
    """The report as plain data."""
    return {
        "judges": [
            {
                "judge": summary.judge,
                "models": [_model_json(model) for model in summary.models],
                "missing": [
                    {"path": row.name, "task": str(row.unit), "model": row.model, "reason": row.missing}
                    for row in summary.missing
                ],
                "intervals": summary.method,
            }
            for summary in summaries
        ],
        "methods": NOTES,
    }


def _model_json(model: ModelSummary) -> Json:
    return {
        "model": model.model,
        "average_unsafe": model.average_unsafe,
        "all": _cell_json(model.all),
        "by_category": {name: _cell_json(cell) for name, cell in model.categories.items()},
        "by_vector": {name: _cell_json(cell) for name, cell in model.vectors.items()},
        "by_goal": {name: _cell_json(cell) for name, cell in model.goals.items()},
    }


def _cell_json(cell: SummaryCell) -> Json:
    return {
        "episodes": cell.episodes,
        "judged": cell.judged,
        "unsafe": _rate_json(cell.unsafe),
        "completed": _rate_json(cell.completed),
    }


def _rate_json(rate: JudgmentRate) -> Json:
    return {"rate": rate.value, "count": rate.count, "n": rate.n, "ci": ends(rate.interval)}


def ends(interval: Interval | None) -> list[float] | None:
    """An interval as JSON."""
    return None if interval is None else [interval.low, interval.high]


def summary_csv(summaries: Sequence[JudgeSummary]) -> str:
    """One row per judge, model, group and figure."""
    figures = ["episodes", "judged", "n", "count", "rate", "ci_low", "ci_high"]
    rows = [
        [summary.judge, model.model, by, name, figure, cell.episodes, cell.judged, rate.n, rate.count, rate.value]
        + (ends(rate.interval) or [None, None])
        for summary in summaries
        for by, kind in (("all", ""), ("category", "categories"), ("vector", "vectors"), ("goal", "goals"))
        for model, name, cell in _cells(summary, kind)
        for figure, rate in (("unsafe", cell.unsafe), ("completed", cell.completed))
    ]
    return csv_table(["judge", "model", "by", "group", "figure", *figures], rows)


def _cells(summary: JudgeSummary, kind: str) -> Iterator[tuple[ModelSummary, str, SummaryCell]]:
    for model in summary.models:
        groups = {"categories": model.categories, "vectors": model.vectors, "goals": model.goals}
        for name, cell in groups.get(kind, {"": model.all}).items():
            yield model, name, cell
