"""The text that a dry run prints."""

from __future__ import annotations

from pydantic import JsonValue

from trueline.text import printable


def estimate_text(found: dict[str, JsonValue]) -> str:
    """The estimate for people."""
    kinds, reasons, roles, assumes = found["kinds"], found["unsupported"], found["models"], found["assumes"]
    assert isinstance(kinds, dict) and isinstance(reasons, dict)
    assert isinstance(roles, list) and isinstance(assumes, list)
    lines = [
        f"{found['episodes']} episodes ({', '.join(f'{kind} {n}' for kind, n in kinds.items())})",
        f"already there: {found['already_there']}; to run: {found['to_run']}",
        *(_role_text(row) for row in roles if isinstance(row, dict)),
        f"cost {_money(found['cost_about'])} at list prices{', the judge apart' if found['judge_apart'] else ''}"
        + (", if" if assumes else ""),
        *(f"  - {one}" for one in assumes),
    ]
    if found["sampling_not_sent"]:
        lines.append(str(found["sampling_not_sent"]))
    lines.append(f"results would go to {printable(str(found['result_dir']), 300)}")
    lines += [f"not supported: {n} x {printable(reason, 200)}" for reason, n in reasons.items()]
    return "\n".join(lines)


def _role_text(row: dict[str, JsonValue]) -> str:
    who = printable(f"{row['role']} {row['model'] or ''}".strip(), 200)
    if row["calls"] is None:
        return f"{who}: asks its model by itself, nobody knows how often"
    bound = "at most" if row["role"] in ("agent", "user simulator") else "about"
    tokens = f"about {row['input_tokens_each']:,} tokens in and {row['output_tokens_each']:,} out each"
    return f"{who}: {bound} {row['calls']} calls, {tokens}, {_money(row['cost_about'])}"


def _money(cost: JsonValue) -> str:
    if not isinstance(cost, float | int):
        return "unknown"
    return f"about ${cost:,.2f}" if cost else "$0"
