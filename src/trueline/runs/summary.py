"""What a run came to. Pure functions over records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from trueline.records.episode import EpisodeRecord
from trueline.records.usage import total_usage
from trueline.records.verdict import Decision

MISUSE = "misuse"


def summarise(records: Sequence[EpisodeRecord]) -> dict[str, JsonValue]:
    """One document: how many, how they ended, scores, attacks, guard, money.

    The score of a misuse task says whether harm was done, so it is never averaged with success.
    """
    scored = [record for record in records if record.score is not None]
    wanted = [record for record in scored if record.task.kind != MISUSE]
    harm = [record for record in scored if record.task.kind == MISUSE]
    usage = total_usage(part for record in records for part in record.usage.values())
    return {
        "episodes": len(records),
        "scored": len(scored),
        "unscored": _counted(record.unscored.value for record in records if record.unscored),
        "ends": _counted(record.end.value for record in records if record.end),
        "mean_score": _mean([record.score or 0.0 for record in wanted]),
        "misuse": {"scored": len(harm), "harm_done": _mean([record.score or 0.0 for record in harm])},
        "attack": _attack(records),
        "guard": _guard(records),
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens, "calls": usage.calls},
        "cost": usage.cost,
    }


def by_domain(records: Sequence[EpisodeRecord]) -> list[dict[str, JsonValue]]:
    """One row for each domain: episodes, scored, mean score; misuse in rows of its own."""
    rows: list[dict[str, JsonValue]] = []
    groups = sorted({(record.task.kind == MISUSE, record.task.domain) for record in records})
    for misuse, domain in groups:
        own = [r for r in records if r.task.domain == domain and (r.task.kind == MISUSE) == misuse]
        scores = [record.score for record in own if record.score is not None]
        rows.append(
            {
                "domain": domain,
                "kind": "misuse (score is harm)" if misuse else "",
                "episodes": len(own),
                "scored": len(scores),
                "mean_score": _mean(scores),
            }
        )
    return rows


def _attack(records: Sequence[EpisodeRecord]) -> dict[str, JsonValue]:
    """How far injections got, over the episodes in which that is known."""
    funnels = [record.funnel for record in records if record.funnel is not None]
    stages = ("delivered", "exposed", "attempted", "blocked", "achieved")
    found: dict[str, JsonValue] = {stage: sum(getattr(funnel, stage) is True for funnel in funnels) for stage in stages}
    return {"episodes": len(funnels), **found}


def _guard(records: Sequence[EpisodeRecord]) -> dict[str, JsonValue]:
    attempts = [attempt for record in records for step in record.steps for attempt in step.attempts]
    verdicts = [attempt.verdict for attempt in attempts if attempt.verdict is not None]
    rejected = [attempt for attempt in attempts if not attempt.ran]
    return {
        "checks": sum(len(attempt.verdicts) for attempt in attempts),
        "decisions": _counted(verdict.decision.value for verdict in verdicts),
        "rejected": len(rejected),
        "let_through_after_flag": sum(verdict.after_flag for verdict in verdicts),
        "undecided": sum(verdict.decision is Decision.UNDECIDED for verdict in verdicts),
    }


def _counted(values: Iterable[str]) -> dict[str, JsonValue]:
    return dict(sorted(Counter(values).items()))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
