"""Estimates the episodes, model calls and cost of a run before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.records.episode_state import read_state
from trueline.records.usage import Usage
from trueline.runs.forecast import ModelCalls, assumptions, forecast

if TYPE_CHECKING:
    from trueline.models.pricing import Prices
    from trueline.runs.prepare import Run


def estimate(run: Run) -> dict[str, JsonValue]:
    """The number of episodes, the most calls of the agent, and the rough cost of all models at list prices."""
    from trueline.runs.plan import count_by_kind

    folders = (run.options.result_dir / job.path for job in run.jobs if not job.rerun)
    there = sum(folder.is_dir() and read_state(folder).score is not None for folder in folders)
    cannot = [job for job in run.jobs if job.unsupported]
    left = len(run.jobs) - there - len(cannot)
    reasons: dict[str, JsonValue] = {}
    for job in cannot:
        reasons[job.unsupported] = int(str(reasons.get(job.unsupported, 0))) + 1
    kinds: dict[str, JsonValue] = {**count_by_kind(run.planned)}
    asked = forecast(run.setting)
    costs = [_cost(one, left, run.prices) for one in asked]
    agent = next((one.calls for one in asked if one.role == "agent"), 0)
    roles: list[JsonValue] = [_row(one, left, cost) for one, cost in zip(asked, costs, strict=True)]
    assumes: list[JsonValue] = [*assumptions(run.setting)] if any(one.calls for one in asked) else []
    return {
        "episodes": len(run.jobs),
        "kinds": kinds,
        "already_there": there,
        "unsupported": reasons,
        "to_run": left,
        "calls_at_most": None if agent is None else left * agent,
        "models": roles,
        "cost_about": None if None in costs else sum(cost or 0.0 for cost in costs),
        "assumes": assumes,
        "judge_apart": run.request.judge_model is not None,
        "sampling_not_sent": run.note or None,
        "result_dir": str(run.options.result_dir),
    }


def _row(asked: ModelCalls, episodes: int, cost: float | None) -> dict[str, JsonValue]:
    return {
        "role": asked.role,
        "model": asked.model,
        "calls": None if asked.calls is None else episodes * asked.calls,
        "input_tokens_each": asked.input_tokens or None,
        "output_tokens_each": asked.output_tokens or None,
        "cost_about": cost,
    }


def _cost(asked: ModelCalls, episodes: int, prices: Prices) -> float | None:
    """US dollars at list prices; `None` when the price or the number of calls is not known."""
    from trueline.models.pricing import find_price
    from trueline.models.providers import runs_in_process

    if asked.model is None or asked.calls is None:
        return None
    provider, _, model = asked.model.partition("|")
    if runs_in_process(provider):
        return 0.0
    price = find_price(prices, provider, model)
    one = Usage(input_tokens=asked.input_tokens, output_tokens=asked.output_tokens, calls=1)
    each = price.cost(one) if price else None
    return None if each is None else episodes * asked.calls * each
