"""Events add up to the record of an episode."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from trueline.records.episode import EpisodeRecord
from trueline.records.events import Accounted, Checked, Ended, Event, Failed, Narrated, Noted, Retried, Started, Stepped
from trueline.records.ledger import Ledger
from trueline.records.problem import Problem
from trueline.records.step import Attempt, Step
from trueline.records.usage import Usage, total_usage

EVENTS_FILE = "events.jsonl"


def assemble(events: Sequence[Event]) -> EpisodeRecord:
    """Make the record from an episode's events; without an `Ended` it is an unfinished episode's.

    Raises:
        ValueError: The first event is not `Started`.
    """
    if not events or not isinstance(events[0], Started):
        raise ValueError("the first event must be `started`")
    started = events[0]
    steps: dict[int, Step] = {}
    problems: list[Problem] = []
    ledger: Ledger | None = None
    ended: Ended | None = None
    for event in events[1:]:
        if isinstance(event, Stepped):
            steps[event.step.number] = event.step
        elif isinstance(event, Noted):
            problems.append(event.problem)
        elif isinstance(event, Accounted):
            ledger = event.ledger
        elif isinstance(event, Ended):
            ended = event
        elif isinstance(event, Narrated | Checked):
            step = steps.get(event.step)
            changed = None if step is None else _with_late(step, event)
            if changed is None:
                what = f"a {event.event} for step {event.step}, which has nothing it could belong to"
                problems.append(Problem(file=EVENTS_FILE, what=what, raw=json.dumps(event.model_dump(mode="json"))))
            else:
                steps[event.step] = changed
    retries = tuple(event.retry for event in events if isinstance(event, Retried))
    record = EpisodeRecord(
        **{name: getattr(started, name) for name in _FROM_STARTED},
        started=started.time,
        ledger=ledger,
        steps=tuple(steps.values()),
        retries=retries,
        errors=tuple(event.error for event in events if isinstance(event, Failed)),
        problems=tuple(problems),
        usage=_usage(steps.values(), [retry.usage for retry in retries], ended.usage if ended else {}),
    )
    if ended is None:
        return record
    return record.model_copy(update={"ended": ended.time} | {name: getattr(ended, name) for name in _FROM_ENDED})


_FROM_STARTED = (
    "schema_version", "task", "attack", "setting", "setting_digest", "repeat", "seed", "versions", "params",
    "instruction", "task_instruction", "user_instruction", "start",
)  # fmt: skip
_FROM_ENDED = ("end", "unscored", "score", "scored_by", "detail", "funnel", "checks", "timings")


def _with_late(step: Step, event: Narrated | Checked) -> Step | None:
    """The step with a later verdict or narrative; `None` if it has no such proposal."""
    if isinstance(event, Narrated):
        return step.model_copy(update={"narrative": event.narrative})
    if all(attempt.proposal.id != event.proposal for attempt in step.attempts):
        return None
    return step.model_copy(update={"attempts": tuple(_checked(attempt, event) for attempt in step.attempts)})


def _checked(attempt: Attempt, event: Checked) -> Attempt:
    if attempt.proposal.id != event.proposal:
        return attempt
    return attempt.model_copy(update={"verdicts": (*attempt.verdicts, event.verdict)})


def _usage(steps: Iterable[Step], retries: Sequence[Usage | None], more: dict[str, Usage]) -> dict[str, Usage]:
    """Sums by role, without roles of unknown usage."""
    roles: dict[str, list[Usage | None]] = {"agent": [], "guard": [], "narrator": [], "user": [*retries]}
    for step in steps:
        for attempt in step.attempts:
            roles["agent"].append(attempt.proposal.usage)
            findings = (finding for verdict in attempt.verdicts for finding in verdict.findings)
            # A stage that asked no model used nothing, which is not the same as nobody having counted.
            roles["guard"] += [found.usage for found in findings if found.usage or found.model]
        if step.narrative is not None:
            roles["narrator"].append(step.narrative.usage)
    for role, usage in more.items():
        roles.setdefault(role, []).append(usage)
    return {role: total_usage(parts) for role, parts in roles.items() if any(part is not None for part in parts)}
