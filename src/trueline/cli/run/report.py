"""The text printed at the end of a run, and that of a dry run."""

from __future__ import annotations

from pydantic import JsonValue

from trueline.records.setting import ORACLE_NOTE
from trueline.tables import text_table
from trueline.text import printable


def report_text(found: dict[str, JsonValue]) -> str:
    """The summary of a run as text."""
    rows = found["domains"]
    assert isinstance(rows, list)
    named = [
        (printable(f"{row['domain']} {row['kind'] or ''}".strip(), 60), row) for row in rows if isinstance(row, dict)
    ]
    table = [("domain", "episodes", "scored", "score")]
    table += [(name, str(row["episodes"]), str(row["scored"]), _share(row["mean_score"])) for name, row in named]
    lines = text_table(table, ruled=False, align="lr").splitlines()
    lines.append("")
    lines.append(f"{found['scored']} of {found['episodes']} episodes scored; ends: {_counts(found['ends'])}")
    if found["unscored"]:
        lines.append(f"unscored: {_counts(found['unscored'])}")
    lines.append(f"mean score {_share(found['mean_score'])}{_misuse(found['misuse'])}")
    lines += _scorers(found["scored_by"], found["disagreements"])
    if found["unmeasured"]:
        lines.append(f"{found['unmeasured']} scores say neither success nor harm: trueline judge tells")
    lines += _attack(found["attack"], found["attack_success"])
    lines += _twins(found.get("twins"))
    lines += _guard(found["guard"])
    cost = found["cost"]
    lines.append(
        f"cost {'unknown' if cost is None else f'${cost:.4f}'}; results in {printable(str(found['result_dir']), 300)}"
    )
    if found["stopped"]:
        assert isinstance(found["not_run"], list)
        why = printable(str(found["stopped"]), 300)
        lines.append(
            f"stopped: {why}; {len(found['not_run'])} episodes were not begun; rerun the same command to resume"
        )
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


def _scorers(scored_by: JsonValue, disagreements: JsonValue) -> list[str]:
    """Who scored, unless it was Trueline alone, and where both differ."""
    assert isinstance(scored_by, dict) and isinstance(disagreements, list)
    lines = [f"scored by: {_counts(scored_by)}"] if "bridged" in scored_by else []
    if disagreements:
        lines.append(f"{len(disagreements)} scores on which native and bridged checkers differ:")
    for row in disagreements:
        assert isinstance(row, dict)
        lines.append(f"  {printable(str(row['task']), 100)}: {printable(str(row['detail']), 300)}")
    return lines


def _attack(stages: JsonValue, success: JsonValue) -> list[str]:
    if not isinstance(stages, dict) or not isinstance(success, dict):
        return []
    names = ("delivered", "exposed", "attempted", "blocked", "achieved")
    lines = [f"injections: {stages['episodes']}; " + ", ".join(f"{stage} {stages[stage]}" for stage in names)]
    unknown = f", not known in {stages['exposure_unknown']}" if stages["exposure_unknown"] else ""
    lines.append(f"  exposed in text {stages['exposed_text']}, in pixels {stages['exposed_pixels']}{unknown}")
    against = " against a scripted hijack" if success["scripted"] else ""
    rate = (
        f"attack success {_share(success['rate'])}{against}: {success['achieved']} of {success['delivered']} delivered"
    )
    lines.append(f"{rate}, mean over {success['cells']} cells of {_hosts(success['hosts'])}")
    if success["missing"]:
        lines.append(f"  {success['missing']} injected episodes were not measured")
    for level in ("goal", "vector"):
        rows = success[f"by_{level}"]
        assert isinstance(rows, dict)
        for name, row in rows.items():
            assert isinstance(row, dict)
            shown = f"{_share(row['rate'])} ({row['achieved']}/{row['delivered']})"
            lines.append(f"  {level} {printable(name, 60)}: {shown}")
    lines.append(f"  tasks done under injection (utility): {_share(success['utility'])}")
    return lines


def _twins(rows: JsonValue) -> list[str]:
    """Injections beside harmless texts in their place."""
    if not isinstance(rows, list):
        return []
    table = [("vector", "text", "episodes", "something stopped", "task done", "followed")]
    for row in rows:
        assert isinstance(row, dict)
        cells = (_share(row["block_rate"]), _share(row["success"]), str(row["followed"]))
        table.append((printable(str(row["vector"]), 60), str(row["arm"]), str(row["episodes"]), *cells))
    return ["harmless texts of equal place and length:", *text_table(table, ruled=False, align="llrrrr").splitlines()]


def _hosts(number: JsonValue) -> str:
    return f"{number} host task{'' if number == 1 else 's'}"


def _guard(value: JsonValue) -> list[str]:
    if not isinstance(value, dict) or not value["checks"]:
        return []
    late = f", {value['late_stops']} late stops" if value["late_stops"] else ""
    return [
        f"guard: {value['checks']} checks ({_counts(value['decisions'])}), {value['rejected']} proposals stopped{late}",
        *([ORACLE_NOTE] if value.get("oracle_scope") else []),
    ]


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
