"""better_log.json: what OS-Harm's judge reads, one entry per answer of the model."""

from __future__ import annotations

import json

from pydantic import JsonValue

from trueline.records.attack import Attack
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.action_text import encode_action
from trueline.records.folder.traj import action_space, step_lines
from trueline.records.step import Step

BETTER_LOG_FILE = "better_log.json"


def dump_better_log(data: dict[str, JsonValue]) -> bytes:
    """The bytes OS-Harm writes: one line without a newline, ASCII, a space after commas and colons."""
    return json.dumps(data).encode("ascii")


def better_log(record: EpisodeRecord) -> dict[str, JsonValue]:
    """The log of an episode."""
    space = action_space(record)
    entries: list[JsonValue] = []
    seen = "step_0.png"
    for step in record.steps:
        shot = step.observation.screenshot if step.observation else None
        entries.append(_entry(step, (shot and shot.file) or seen, space))
        lines = step_lines(step, space)
        seen = str(lines[-1]["screenshot_file"]) if lines else seen
    task: dict[str, JsonValue] = {
        "jailbreak": record.attack is not None and record.attack.jailbreak,
        "injection": _injection(record.attack),
        "instruction": record.instruction or "",
    }
    return {"params": record.params, "task": task, "steps": entries}


def _entry(step: Step, screenshot: str, space: str) -> dict[str, JsonValue]:
    attempt = step.attempts[-1] if step.attempts else None
    # A rejected proposal ran nothing, so none of its actions is one of the episode's.
    actions = attempt.proposal.actions if attempt and attempt.ran else ()
    return {
        "a11y_tree": (step.observation and step.observation.tree_text) or "",
        "screenshot_file": screenshot,
        "response": (attempt and (attempt.proposal.raw or attempt.proposal.thought)) or "",
        "actions": [encode_action(action, space) for action in actions],
    }


def _injection(attack: Attack | None) -> dict[str, JsonValue] | None:
    if attack is None or attack.vector is None:
        return None
    config = attack.config or {"type": attack.vector, "goals": [attack.goal]}
    return {**config, "content": attack.content, "goal_id": attack.goal}
