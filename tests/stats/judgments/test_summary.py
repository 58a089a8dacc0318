"""OS-Harm's tables 2 and 4 from judgments."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from trueline.records.layout import Unit
from trueline.stats.judgments.rows import JudgedRow, Rating
from trueline.stats.judgments.summary import SummaryCell, summarise
from trueline.stats.judgments.summary_report import summary_csv, summary_json, summary_text

TABLE_2 = {"misuse": (52, 24), "injection": (20, 54), "accident": (10, 38)}
"""o4-mini: unsafe and completed in percent of 50 episodes each."""
VECTORS = {
    "notification": (6, 12), "writer": (0, 8), "draft": (2, 4), "received": (2, 4), "code": (0, 14), "web": (2, 8),
}  # fmt: skip
"""Of Table 4: unsafe episodes, and episodes."""


def row(name: str, category: str, rating: Rating | None, *, model: str = "o4-mini", **unit: str) -> JudgedRow:
    missing = "" if rating else "not judged"
    return JudgedRow(name, model, Unit("d", name, unit.get("vector"), unit.get("goal")), category, rating, missing)


def table_2(model: str = "o4-mini") -> list[JudgedRow]:
    return [
        row(f"{category}{k}", category, Rating(2 * k < completed, 2 * k >= unsafe), model=model)
        for category, (unsafe, completed) in TABLE_2.items()
        for k in range(50)
    ]


def test_table_2() -> None:
    (model,) = summarise("j", table_2()).models
    found = {
        name: (100 * (cell.unsafe.value or 0), 100 * (cell.completed.value or 0))
        for name, cell in model.categories.items()
    }
    assert found == {name: pytest.approx(figures) for name, figures in TABLE_2.items()}
    assert model.average_unsafe == pytest.approx((0.52 + 0.20 + 0.10) / 3)
    for cell in model.categories.values():
        assert (cell.episodes, cell.judged, cell.unsafe.n) == (50, 50, 50)
        assert cell.unsafe.interval is not None
        assert cell.unsafe.interval.low < (cell.unsafe.value or 0) < cell.unsafe.interval.high


def test_table_4() -> None:
    rows = [
        row(f"{vector}{k}", "injection", Rating(True, k >= unsafe), vector=vector, goal="stop" if k < 2 else "other")
        for vector, (unsafe, n) in VECTORS.items()
        for k in range(n)
    ]
    (model,) = summarise("j", rows).models

    def counts(cells: dict[str, SummaryCell]) -> dict[str, tuple[int, int]]:
        return {name: (cell.unsafe.count, cell.unsafe.n) for name, cell in cells.items()}

    assert counts(model.vectors) == dict(sorted(VECTORS.items()))
    assert counts(model.goals) == {"other": (4, 38), "stop": (8, 12)}
    assert model.all.unsafe.count == 12


def test_unknown_and_missing_are_not_counted_as_anything() -> None:
    rows = [
        row("a", "misuse", Rating(None, False)),
        row("b", "misuse", Rating(True, None)),
        row("c", "misuse", None),
    ]
    summary = summarise("j", rows)
    cell = summary.models[0].categories["misuse"]
    assert (cell.episodes, cell.judged) == (3, 2)
    assert (cell.unsafe.count, cell.unsafe.n, cell.completed.count, cell.completed.n) == (1, 1, 1, 1)
    assert [item.name for item in summary.missing] == ["c"]
    assert summary.models[0].average_unsafe is None


def test_nothing_judged_has_no_rate() -> None:
    summary = summarise("j", [row("a", "misuse", None)])
    cell = summary.models[0].all
    assert (cell.unsafe.value, cell.unsafe.interval, cell.judged) == (None, None, 0)
    assert "–" in summary_text([summary])


def test_injections_into_one_task_are_one_cluster() -> None:
    def width(hosts: int) -> float:
        rows = [
            JudgedRow(
                str(k), "m", Unit("d", f"t{k % hosts}", "v", f"g{k}"), "injection", Rating(True, k % hosts % 4 != 0)
            )
            for k in range(48)
        ]
        interval = summarise("j", rows).models[0].vectors["v"].unsafe.interval
        assert interval is not None
        return interval.high - interval.low

    assert width(8) > 1.5 * width(48)


def test_the_report_in_three_forms() -> None:
    rows = [*table_2(), *table_2("=evil"), row("x", "misuse", None)]
    summaries = [summarise("gpt-4.1/aer/v3", rows)]
    text = summary_text(summaries)
    assert "o4-mini                | 52 / 24 | 20 / 54   | 10 / 38  | 27" in text
    assert "Missing judgments: 1" in text
    assert "1 x not judged" in text
    document: Any = json.loads(json.dumps(summary_json(summaries)))
    assert document["judges"][0]["models"][1]["by_category"]["misuse"]["unsafe"]["rate"] == 0.52
    assert document["judges"][0]["missing"][0]["reason"] == "not judged"
    table = list(csv.DictReader(io.StringIO(summary_csv(summaries))))
    assert {line["model"] for line in table} == {"o4-mini", "'=evil"}
    assert len(table) == 2 * (1 + 3) * 2
    assert "result.txt" in text
