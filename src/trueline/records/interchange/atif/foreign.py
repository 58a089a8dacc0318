"""Reads an ATIF document of another tool as a record. The document itself is kept beside it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import datetime

from pydantic import JsonValue, ValidationError

from trueline.actions import ACTION, Action, Code
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord, TaskRef
from trueline.records.interchange.atif.model import (
    ATIF_FILE,
    AtifMetrics,
    AtifResult,
    AtifStep,
    AtifToolCall,
    AtifTrajectory,
    Content,
    text_of,
)
from trueline.records.observation import ObservationRecord, StoredFile
from trueline.records.problem import Problem
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt, Step
from trueline.records.usage import Usage
from trueline.text import printable

DOMAIN = "atif"
_SHELLS = frozenset({"bash", "bash_command", "shell", "terminal", "execute_bash", "run_shell_command", "exec_command"})
_PYTHONS = frozenset({"python", "execute_python", "run_python", "ipython"})


def foreign_record(document: AtifTrajectory, name: str, stored: Collection[str]) -> EpisodeRecord:
    """The record of a document; `stored` names the pictures that lie in the episode's folder."""
    problems: list[Problem] = []
    spoken: list[str] = []
    steps: list[Step] = []
    seen: StoredFile | None = None
    for place, entry in enumerate(document.steps):
        if entry.source == "agent":
            steps.append(_step(len(steps) + 1, entry, seen, stored, problems))
        elif entry.source == "user" and not steps:
            spoken.append(text_of(entry.message))
        for content in (entry.message, *(result.content for result in _results(entry))):
            seen = next(reversed(list(_pictures(content, stored))), seen)
        if entry.timestamp is not None and _time(entry) is None:
            problems.append(_problem(f"$.steps[{place}].timestamp: expected an ISO 8601 time"))
    times = [time for entry in document.steps if (time := _time(entry))]
    params: dict[str, JsonValue] = {"agent": document.agent.name, "model": document.agent.model_name}
    return EpisodeRecord(
        task=TaskRef(domain=DOMAIN, id=name),
        params=params,
        instruction="\n".join(spoken),
        started=times[0] if times else None,
        ended=times[-1] if times else None,
        steps=tuple(steps),
        unscored=Unscored.UNSUPPORTED,
        detail="imported from an ATIF document, which has no score",
        problems=tuple(problems),
    )


def _step(
    number: int, entry: AtifStep, seen: StoredFile | None, stored: Collection[str], problems: list[Problem]
) -> Step:
    time = _time(entry)
    answers = {result.source_call_id: result for result in reversed(_results(entry))}
    results: list[ActionResult] = []
    for call in entry.tool_calls or ():
        action, trouble = _action(call)
        if trouble:
            problems.append(_problem(f"step {entry.step_id}: {trouble}"))
        content = answers[call.tool_call_id].content if call.tool_call_id in answers else None
        results.append(
            ActionResult(
                action=action,
                id=call.tool_call_id,
                time=time,
                output=text_of(content) or None,
                screenshot=next(_pictures(content, stored), None),
            )
        )
    shown = next(_pictures(answers[None].content, stored), None) if None in answers else None
    if results and shown and results[-1].screenshot is None:
        results[-1] = results[-1].model_copy(update={"screenshot": shown})
    proposal = Proposal(
        id=str(number),
        thought=entry.reasoning_content,
        actions=tuple(result.action for result in results),
        raw=text_of(entry.message),
        usage=entry.metrics and _usage(entry.metrics, entry.llm_call_count),
    )
    observation = None if seen is None else ObservationRecord(screenshot=seen)
    return Step(number=number, observation=observation, attempts=(Attempt(proposal=proposal),), results=tuple(results))


def _action(call: AtifToolCall) -> tuple[Action, str | None]:
    """The action a call stands for: in our own words, or code for a shell or Python; else its text, with a note."""
    raw = json.dumps({"function_name": call.function_name, "arguments": call.arguments})
    try:
        return ACTION.validate_python({**call.arguments, "kind": call.function_name, "raw": raw}), None
    except ValidationError:
        pass
    source = next((text for key in ("command", "code") if isinstance(text := call.arguments.get(key), str)), None)
    if source is not None and call.function_name.lower() in _SHELLS:
        return Code(source=source, language="bash", raw=raw), None
    if source is not None and call.function_name.lower() in _PYTHONS:
        return Code(source=source, raw=raw), None
    return Code(source=raw, raw=raw), f"unknown call {printable(call.function_name, 60)!r}, kept as text"


def _results(entry: AtifStep) -> tuple[AtifResult, ...]:
    return entry.observation.results if entry.observation else ()


def _pictures(content: Content | None, stored: Collection[str]) -> Iterator[StoredFile]:
    for part in content if isinstance(content, tuple) else ():
        if part.source is not None and part.source.path in stored:
            yield StoredFile(file=part.source.path)


def _usage(metrics: AtifMetrics, calls: int | None) -> Usage:
    made = 1 if calls is None else calls
    unknown = metrics.prompt_tokens is None or metrics.completion_tokens is None
    return Usage(
        input_tokens=metrics.prompt_tokens or 0,
        output_tokens=metrics.completion_tokens or 0,
        cached_tokens=metrics.cached_tokens or 0,
        calls=made,
        uncounted=made if unknown else 0,
        cost=metrics.cost_usd,
    )


def _time(entry: AtifStep) -> datetime | None:
    try:
        return datetime.fromisoformat(entry.timestamp) if entry.timestamp else None
    except ValueError:
        return None


def _problem(what: str) -> Problem:
    return Problem(file=ATIF_FILE, what=what)
