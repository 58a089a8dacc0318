"""Actions as plain fields, and as the text that an episode's files store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable

from pydantic import JsonValue

from trueline.actions import ACTION, Action
from trueline.records.folder.action_text import encode_action, python_source
from trueline.records.folder.reader import Trajectory
from trueline.records.folder.traj import action_space
from trueline.records.step import Step


def action_texts(episode: Trajectory) -> Callable[[Step], str]:
    """A function that gives a step's actions as text: what traj.jsonl says was executed, else what was proposed."""
    executed: defaultdict[int | None, list[JsonValue]] = defaultdict(list)
    for line in episode.lines:
        executed[line.step].append(line.data.get("action"))
    space = action_space(episode.record)

    def text(step: Step) -> str:
        values = executed.get(step.number)
        if values is None:
            values = [encode_action(action, space) for action in (step.proposal.actions if step.proposal else ())]
        return "\n".join(json.dumps(value) if (source := python_source(value)) is None else source for value in values)

    return text


def action_fields(action: Action) -> dict[str, JsonValue]:
    """What an action does besides its kind: the fields that are not at their default, without raw text and pacing."""
    return ACTION.dump_python(action, mode="json", exclude_defaults=True, exclude={"kind", "raw", "pause_after"})
