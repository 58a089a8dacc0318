"""What a run would be, before anything is started."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.cli.run.forecast import Asked, assumptions, forecast
from trueline.records.episode_state import read_state
from trueline.records.usage import Usage
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.run.assemble import Assembled
    from trueline.models.pricing import Prices


def estimate(args: argparse.Namespace, made: Assembled) -> dict[str, JsonValue]:
    """Episodes, the agent's calls at most, and about what all models would cost at list prices."""
    from trueline.models.pricing import load_prices
    from trueline.runs.plan import count_by_kind

    folders = (made.options.result_dir / job.path for job in made.jobs if not job.rerun)
    there = sum(folder.is_dir() and read_state(folder).score is not None for folder in folders)
    cannot = [job for job in made.jobs if job.unsupported]
    run = len(made.jobs) - there - len(cannot)
    reasons: dict[str, JsonValue] = {}
    for job in cannot:
        reasons[job.unsupported] = int(str(reasons.get(job.unsupported, 0))) + 1
    kinds: dict[str, JsonValue] = {**count_by_kind(made.planned)}
    prices = load_prices(*args.prices)
    asked = forecast(made.setting)
    costs = [_cost(one, run, prices) for one in asked]
    agent = next((one.calls for one in asked if one.role == "agent"), 0)
    roles: list[JsonValue] = [_row(one, run, cost) for one, cost in zip(asked, costs, strict=True)]
    assumes: list[JsonValue] = [*assumptions(made.setting)] if any(one.calls for one in asked) else []
    return {
        "episodes": len(made.jobs),
        "kinds": kinds,
        "already_there": there,
        "unsupported": reasons,
        "to_run": run,
        "calls_at_most": None if agent is None else run * agent,
        "models": roles,
        "cost_about": None if None in costs else sum(cost or 0.0 for cost in costs),
        "assumes": assumes,
        "judge_apart": args.judge_model is not None,
        "sampling_not_sent": made.note or None,
        "result_dir": str(args.result_dir),
    }


def _row(asked: Asked, episodes: int, cost: float | None) -> dict[str, JsonValue]:
    return {
        "role": asked.role,
        "model": asked.model,
        "calls": None if asked.calls is None else episodes * asked.calls,
        "input_tokens_each": asked.input_tokens or None,
        "output_tokens_each": asked.output_tokens or None,
        "cost_about": cost,
    }


def _cost(asked: Asked, episodes: int, prices: Prices) -> float | None:
    """US dollars at list prices; `None` when the price or the number of calls is not known."""
    from trueline.models.pricing import find_price
    from trueline.models.providers import PROVIDERS

    if asked.model is None or asked.calls is None:
        return None
    provider, _, model = asked.model.partition("|")
    if provider in PROVIDERS and PROVIDERS[provider].wire == "own":
        return 0.0
    price = find_price(prices, provider, model)
    one = Usage(input_tokens=asked.input_tokens, output_tokens=asked.output_tokens, calls=1)
    each = price.of(one) if price else None
    return None if each is None else episodes * asked.calls * each


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
