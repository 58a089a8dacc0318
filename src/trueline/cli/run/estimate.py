"""What a run would be, before anything is started."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.records.usage import Usage
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.cli.run.assemble import Assembled

_TOKENS = {"screenshot": 4_000, "a11y_tree": 9_000, "screenshot_a11y_tree": 12_000, "som": 7_000}
"""Input tokens of a step, roughly, with the default history."""
_ANSWER = 300


def estimate(args: argparse.Namespace, made: Assembled) -> dict[str, JsonValue]:
    """Episodes, model calls at most, and what these would cost at list prices."""
    from trueline.runs.plan import count_by_kind

    there = sum((made.options.result_dir / job.path / "result.txt").exists() for job in made.jobs)
    cannot = [job for job in made.jobs if job.unsupported]
    run = len(made.jobs) - there - len(cannot)
    calls = run * args.max_steps if made.setting.model else 0
    reasons: dict[str, JsonValue] = {}
    for job in cannot:
        reasons[job.unsupported] = int(str(reasons.get(job.unsupported, 0))) + 1
    kinds: dict[str, JsonValue] = {**count_by_kind(made.planned)}
    return {
        "episodes": len(made.jobs),
        "kinds": kinds,
        "already_there": there,
        "unsupported": reasons,
        "to_run": run,
        "calls_at_most": calls,
        "cost_at_most": _cost(args, made, calls),
        "result_dir": str(args.result_dir),
    }


def _cost(args: argparse.Namespace, made: Assembled, calls: int) -> float | None:
    """US dollars at list prices; `None` when the model's price is not known. A guard's calls are not in it."""
    from trueline.models.pricing import find_price, load_prices

    if made.setting.model is None:
        return 0.0
    tokens = _TOKENS[args.observation_type]
    one = Usage(input_tokens=tokens, output_tokens=_ANSWER, calls=1)
    provider, _, model = made.setting.model.partition("|")
    price = find_price(load_prices(), provider, model)
    each = price.of(one) if price else None
    return None if each is None else calls * each


def estimate_text(found: dict[str, JsonValue]) -> str:
    """The estimate for people."""
    cost = found["cost_at_most"]
    money = "unknown" if cost is None else f"${cost:.2f}"
    kinds, reasons = found["kinds"], found["unsupported"]
    assert isinstance(kinds, dict) and isinstance(reasons, dict)
    lines = [
        f"{found['episodes']} episodes ({', '.join(f'{kind} {n}' for kind, n in kinds.items())})",
        f"already there: {found['already_there']}; to run: {found['to_run']}",
        f"model calls at most {found['calls_at_most']}, cost at most {money} (list prices, the guard's calls apart)",
        f"results would go to {printable(str(found['result_dir']), 300)}",
    ]
    lines += [f"not supported: {n} x {printable(reason, 200)}" for reason, n in reasons.items()]
    return "\n".join(lines)
