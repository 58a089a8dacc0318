"""What a judge may be shown of an episode: taken from the record, nothing added."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.judge.category import category_of
from trueline.judge.types import OBSERVATION_TYPES, ObservationType
from trueline.records.episode import EpisodeRecord, TaskKind
from trueline.records.folder.action_text import encode_action
from trueline.records.folder.reader import Trajectory
from trueline.records.folder.store import MASK
from trueline.records.folder.traj import action_space
from trueline.records.folder.values import as_list, as_object, as_text, plain_name
from trueline.records.layout import Unit
from trueline.records.step import Step

_FIRST_SCREEN = "step_0.png"
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class StepMaterial:
    """One step, as a judge may see it."""

    index: int
    """Counted from 0, as in OS-Harm."""
    response: str
    """The agent's answer; its actions if the record holds no answer."""
    actions: str
    """The actions, if the answer does not contain them; else empty."""
    tree: str
    """The accessibility tree as text; empty if there is none."""
    screenshot: str | None
    """File with the screen before the answer, as the episode names it; it may be missing."""
    executed: bool = True


@dataclass(frozen=True)
class Material:
    """One episode, as a judge may see it."""

    folder: Path
    unit: Unit
    category: TaskKind
    instruction: str
    """The instruction as the agent got it, with any jailbreak wrapper."""
    steps: tuple[StepMaterial, ...]
    last_screen: str
    """File with the screen after the last action."""
    observation_type: ObservationType
    """What the agent saw, as far as it is recorded."""
    record: EpisodeRecord
    jailbreak: bool = False
    """Whether the instruction is known to be inside a jailbreak wrapper."""

    @property
    def indices(self) -> frozenset[int]:
        """Steps that a judge may name."""
        return frozenset(step.index for step in self.steps)


def material_of(trajectory: Trajectory) -> Material:
    """Extract what judges may see of an episode.

    Raises:
        InputError: There is nothing to judge, or the episode is still running.
    """
    record, folder = trajectory.record, trajectory.folder
    if trajectory.ours and not record.finished:
        raise InputError(f"{folder}: the episode has not ended yet; judge it later")
    steps = _steps(trajectory)
    if not steps:
        raise InputError(f"{folder}: nothing to judge: the episode has no steps of the agent")
    if all(step.response == MASK for step in steps):
        raise InputError(f"{folder}: nothing to judge: the episode was stored redacted")
    return Material(
        folder=folder,
        unit=unit_of(trajectory),
        category=category_of(unit_of(trajectory), record.task.kind),
        instruction=record.instruction or record.task_instruction or "",
        steps=steps,
        last_screen=_last_screen(trajectory),
        observation_type=_observation_type(trajectory),
        record=record,
        jailbreak=bool(
            (record.attack and record.attack.jailbreak) or (trajectory.location and trajectory.location.jailbreak)
        ),
    )


def unit_of(trajectory: Trajectory) -> Unit:
    """The task and its injection: from the path, or from the record if the path is too short."""
    if trajectory.location is not None:
        return trajectory.location.unit
    record = trajectory.record
    vector, goal = (record.attack.vector, record.attack.goal) if record.attack else (None, None)
    return Unit(record.task.domain, record.task.id, vector, goal)


def step_index(record: EpisodeRecord, number: int) -> int:
    """Index of a step from its number: one less, unless the source counts from 0."""
    first = record.steps[0].number if record.steps else 1
    return number - min(first, 1)


def _steps(trajectory: Trajectory) -> tuple[StepMaterial, ...]:
    record = trajectory.record
    logged = as_list((trajectory.log or {}).get("steps"))
    space = action_space(record)
    views: list[StepMaterial] = []
    for step in record.steps:
        index = step_index(record, step.number)
        attempt = step.attempts[-1] if step.attempts else None
        entry = logged[index] if 0 <= index < len(logged) else None
        response, actions = _said_and_done(step, space)
        views.append(
            StepMaterial(
                index=index,
                response=response,
                actions=actions,
                tree=(step.observation and step.observation.tree_text) or "",
                screenshot=_screenshot(step, entry),
                executed=attempt is None or attempt.ran or not attempt.verdicts,
            )
        )
    return tuple(views)


def _said_and_done(step: Step, space: str) -> tuple[str, str]:
    """The agent's answer, and its actions unless the answer contains them."""
    proposal = step.proposal
    actions = (proposal.actions if proposal else ()) or tuple(result.action for result in step.results)
    written = [action.raw or _written(encode_action(action, space)) for action in actions]
    said = (proposal.raw or proposal.thought or "") if proposal else ""
    if not said:
        return "\n".join(written), ""
    return said, "" if _stand_in(said, written) else "\n".join(written)


def _written(action: JsonValue) -> str:
    return action if isinstance(action, str) else json.dumps(action)


def _stand_in(text: str, actions: Sequence[str]) -> bool:
    """Whether the text contains all actions in order; a bare word such as DONE must be on its own line."""
    lines = {line.strip("`* \t\r") for line in text.split("\n")}
    tokens, start = _tokens(text), 0
    for action in actions:
        wanted = _tokens(action)
        if action.strip().isalnum() and action.strip() not in lines:
            return False
        found = tokens.find(wanted, start)
        if found < 0:
            return False
        start = found + len(wanted) - 1
    return True


def _tokens(text: str) -> str:
    """The tokens of a text, each between single spaces."""
    return f" {' '.join(_TOKEN.findall(text))} "


def _screenshot(step: Step, entry: JsonValue) -> str | None:
    stored = step.observation.screenshot if step.observation else None
    return (stored and stored.file) or plain_name(as_object(entry).get("screenshot_file"))


def _last_screen(trajectory: Trajectory) -> str:
    """The screen after the last executed action; the first screen if none was executed.

    The trajectory may end in `Error` lines, or consist of nothing else.
    """
    for line in reversed(trajectory.lines):
        name = None if line.error is not None else plain_name(line.data.get("screenshot_file"))
        if name is not None:
            return name
    first = trajectory.record.steps[0].observation
    return (first and first.screenshot and first.screenshot.file) or _FIRST_SCREEN


def _observation_type(trajectory: Trajectory) -> ObservationType:
    record, location = trajectory.record, trajectory.location
    said = (
        as_text(record.params.get("observation_type")),
        record.setting.observation_type if record.setting else None,
        location.observation_type if location else None,
    )
    known: dict[str | None, ObservationType] = {kind: kind for kind in OBSERVATION_TYPES}
    for word in said:
        if word in known:
            return known[word]
    trees = any(step.observation and step.observation.tree_text for step in record.steps)
    return "screenshot_a11y_tree" if trees else "screenshot"
