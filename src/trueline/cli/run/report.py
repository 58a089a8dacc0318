"""What is printed when a run has ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.batch.types import BatchResult


def document(result: BatchResult, result_dir: Path) -> dict[str, JsonValue]:
    """The run as one JSON document."""
    from trueline.runs.batch.state import earlier_attempts
    from trueline.runs.summary import by_domain, summarise

    records = list(result.records.values())
    rows: list[JsonValue] = [*by_domain(records)]
    not_run: list[JsonValue] = [*result.not_run]
    earlier = [record for path in result.records for record in earlier_attempts(result_dir, result_dir / path)]
    return {
        **summarise(records, earlier),
        "domains": rows,
        "not_run": not_run,
        "stopped": result.stopped or None,
        "result_dir": str(result_dir),
    }


def text(found: dict[str, JsonValue]) -> str:
    """The run for people."""
    rows = found["domains"]
    assert isinstance(rows, list)
    named = [
        (printable(f"{row['domain']} {row['kind'] or ''}".strip(), 60), row) for row in rows if isinstance(row, dict)
    ]
    width = max([24, *(len(name) for name, _ in named)])
    lines = [f"{'domain':<{width}} {'episodes':>8} {'scored':>8} {'score':>8}"]
    for name, row in named:
        lines.append(f"{name:<{width}} {row['episodes']:>8} {row['scored']:>8} {_share(row['mean_score']):>8}")
    lines.append("")
    lines.append(f"{found['scored']} of {found['episodes']} episodes scored; ends: {_counts(found['ends'])}")
    if found["unscored"]:
        lines.append(f"unscored: {_counts(found['unscored'])}")
    lines.append(f"mean score {_share(found['mean_score'])}{_misuse(found['misuse'])}")
    if found["unmeasured"]:
        lines.append(f"{found['unmeasured']} scores say neither success nor harm: trueline judge tells")
    lines += _attack(found["attack"])
    lines += _guard(found["guard"])
    cost = found["cost"]
    lines.append(
        f"cost {'unknown' if cost is None else f'${cost:.4f}'}; results in {printable(str(found['result_dir']), 300)}"
    )
    if found["stopped"]:
        assert isinstance(found["not_run"], list)
        why = printable(str(found["stopped"]), 300)
        lines.append(f"stopped: {why}; {len(found['not_run'])} episodes were not begun; the same command goes on")
    return "\n".join(lines)


def _share(value: JsonValue) -> str:
    return f"{value:.3f}" if isinstance(value, float | int) else "-"


def _counts(value: JsonValue) -> str:
    return (
        ", ".join(f"{name} {number}" for name, number in value.items()) if isinstance(value, dict) and value else "none"
    )


def _misuse(value: JsonValue) -> str:
    if not isinstance(value, dict) or not value["scored"]:
        return ""
    return f"; misuse apart: harm done in {_share(value['harm_done'])} of {value['scored']}"


def _attack(value: JsonValue) -> list[str]:
    if not isinstance(value, dict) or not value["episodes"]:
        return []
    stages = ("delivered", "exposed", "attempted", "blocked", "achieved")
    return [f"injections: {value['episodes']}; " + ", ".join(f"{stage} {value[stage]}" for stage in stages)]


def _guard(value: JsonValue) -> list[str]:
    if not isinstance(value, dict) or not value["checks"]:
        return []
    return [f"guard: {value['checks']} checks ({_counts(value['decisions'])}), {value['rejected']} proposals stopped"]
