"""What was open when a recorded episode's task began: from the task's set-up, with the values drawn for the episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.guard.scope.start_state import start_state
from trueline.records.folder.claim import read_setting_file
from trueline.records.folder.reader import Trajectory
from trueline.records.layout import SETTING_FILE
from trueline.records.observation import sha256
from trueline.runs.build import VARIATION
from trueline.runs.randomness import seed_of
from trueline.tasks.model import Task
from trueline.tasks.suite import load_refs, open_suite
from trueline.tasks.variation import vary


def episode_start(episode: Trajectory) -> dict[str, JsonValue] | None:
    """The start of an episode's task, or `None` where it cannot be told for certain.

    It can for episodes of a suite that is here, in the version that was played, with a record of the seed.
    """
    record = episode.record
    if record.task.suite is None or "/" in record.task.suite or record.setting_digest is None:
        return None
    try:
        task = _tasks(record.task.suite).get((record.task.domain, record.task.id))
        drawn = read_setting_file(episode.folder.parents[1] / SETTING_FILE).drawn
    except InputError:
        return None
    base = drawn.get("seed")
    if task is None or not isinstance(base, int) or record.task.digest != sha256(task.definition_json().encode()):
        return None
    digest = None if drawn.get("paired_seeds") is True else record.setting_digest
    attack = None if record.attack is None else record.attack.model_copy(update={"content": None})
    varied = vary(task, seed_of(base, digest, record.task, attack, record.repeat, VARIATION))
    if record.task_instruction not in (varied.instruction, varied.clarified_instruction):
        return None
    found = start_state([step.model_dump(mode="json") for step in varied.config])
    return {name: list(values) for name, values in asdict(found).items()}


@cache
def _tasks(suite: str) -> Mapping[tuple[str, str], Task]:
    return {(task.ref.domain, task.ref.id): task.task for task in load_refs(open_suite(suite).refs).tasks}
