"""Episodes and steps as rows. The keys are exactly the columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from trueline.records.folder.reader import Trajectory
from trueline.records.interchange.action_fields import action_fields, action_texts
from trueline.records.interchange.labels import StepLabel, StepLabels
from trueline.records.layout import parse_location
from trueline.records.step import Step
from trueline.records.usage import total_usage
from trueline.records.verdict import Decision

Value = str | int | float | bool | list[str] | None
Row = dict[str, Value]


def episode_row(episode: Trajectory, below: Path) -> Row:
    """The row of an episode."""
    record, place = episode.record, parse_location(below)
    setting, funnel, attack = record.setting, record.funnel, record.attack
    usage = total_usage(record.usage.values()) if record.usage else None
    counted = usage if usage and not usage.uncounted else None
    verdicts = Counter(
        attempt.verdict.decision for step in record.steps for attempt in step.attempts if attempt.verdict
    )
    judgments = [
        json.dumps({**by._asdict(), **judgment.model_dump(mode="json")}) for by, judgment in episode.judgments.items()
    ]
    return {
        "path": below.as_posix(),
        "run": record.repeat if place is None or place.run is None else place.run,
        "action_space": place.action_space if place else setting and setting.action_space,
        "observation_type": place.observation_type if place else setting and setting.observation_type,
        "model": place.model if place else setting and setting.model,
        "domain": record.task.domain,
        "task": record.task.id,
        "vector": attack and attack.vector,
        "goal": attack and attack.goal,
        "jailbreak": attack is not None and attack.jailbreak,
        "kind": record.task.kind,
        "suite": record.task.suite,
        "agent": setting and setting.agent,
        "setting_digest": record.setting_digest,
        "seed": None if record.seed is None else str(record.seed),
        "instruction": record.instruction,
        "started": _time(record.started),
        "ended": _time(record.ended),
        "end": record.end,
        "unscored": record.unscored,
        "score": record.score,
        "adversary_score": episode.adversary_score,
        "detail": record.detail,
        "steps": len(record.steps),
        "actions": sum(len(step.results) for step in record.steps),
        "revisions": sum(max(len(step.attempts) - 1, 0) for step in record.steps),
        "aligned": verdicts[Decision.ALIGNED],
        "misaligned": verdicts[Decision.MISALIGNED],
        "undecided": verdicts[Decision.UNDECIDED],
        "delivered": funnel and funnel.delivered,
        "exposed": funnel and funnel.exposed,
        "exposed_text": funnel and funnel.exposure and funnel.exposure.text,
        "exposed_pixels": funnel and funnel.exposure and funnel.exposure.pixels,
        "attempted": funnel and funnel.attempted,
        "blocked": funnel and funnel.blocked,
        "achieved": funnel and funnel.achieved,
        "input_tokens": counted and counted.input_tokens,
        "output_tokens": counted and counted.output_tokens,
        "cost": usage and usage.cost,
        "seconds": record.timings and record.timings.total,
        "errors": len(record.errors),
        "problems": len(episode.problems),
        "judgments": judgments,
    }


def step_rows(episode: Trajectory, below: Path, labels: StepLabels | None) -> Iterator[Row]:
    """The rows of an episode's steps."""
    source = action_texts(episode)
    path, task = below.as_posix(), episode.record.task
    for step in episode.record.steps:
        label = (labels and labels.steps.get(step.number)) or StepLabel()
        yield {"path": path, "domain": task.domain, "task": task.id} | _step_row(step, source(step), label)


def _step_row(step: Step, source: str, label: StepLabel) -> Row:
    seen, proposal = step.observation, step.proposal
    last = step.attempts[-1] if step.attempts else None
    verdict = last and last.verdict
    used = [attempt.proposal.usage for attempt in step.attempts if attempt.proposal.usage is not None]
    usage = total_usage(used) if used else None
    counted = usage if usage and not usage.uncounted else None
    actions = proposal.actions if proposal else tuple(result.action for result in step.results)
    shots = [result.screenshot.file for result in step.results if result.screenshot and result.screenshot.file]
    return {
        "step": step.number,
        "time": next((_time(result.time) for result in step.results if result.time), seen and _time(seen.time)),
        "screenshot_before": seen and seen.screenshot and seen.screenshot.file,
        "screenshot_after": shots[-1] if shots else None,
        "tree": seen and seen.tree_text,
        "thought": proposal and proposal.thought,
        "response": proposal and proposal.raw,
        "kinds": [action.kind for action in actions],
        "actions": [json.dumps({"kind": action.kind, **action_fields(action)}) for action in actions],
        "source": source,
        "attempts": len(step.attempts),
        "ran": last and last.ran,
        "decision": verdict and verdict.decision,
        "stage": verdict and verdict.stage,
        "category": verdict and verdict.category,
        "reason": verdict and verdict.reason,
        "label": label.label,
        "label_category": label.category,
        "output": _joined(result.output for result in step.results),
        "error": _joined(result.error for result in step.results),
        "narrative": step.narrative and step.narrative.text,
        "input_tokens": counted and counted.input_tokens,
        "output_tokens": counted and counted.output_tokens,
        "cost": usage and usage.cost,
        "seconds": step.timings and step.timings.total,
    }


def _joined(texts: Iterator[str | None]) -> str | None:
    return "\n".join(text for text in texts if text) or None


def _time(time: datetime | None) -> str | None:
    return time.isoformat() if time else None
