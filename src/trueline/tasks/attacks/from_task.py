"""The injection of one episode, made from the entry of its host task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from trueline.records.attack import split_twin
from trueline.tasks.attacks.carriers import find_carrier
from trueline.tasks.attacks.injection import ActiveInjection, Beside
from trueline.tasks.attacks.opened import opened_applications
from trueline.tasks.attacks.text_source import TextSource
from trueline.tasks.attacks.texts_of_tasks import task_text, values_in
from trueline.tasks.attacks.twins import twin_text
from trueline.tasks.model import Injection, Task


def entry_of(task: Task, vector: str, goal: str) -> Injection | None:
    """The task's entry for this vector and goal, or for the goal of this twin."""
    base = split_twin(goal)[0]
    return next((entry for entry in task.injections if entry.type == vector and base in entry.goals), None)


def injection_of(
    task: Task, vector: str, goal: str, seed: int, *, texts: TextSource = "own", assets: tuple[Path, ...] = ()
) -> ActiveInjection:
    """Combine a vector and a goal on a task.

    Args:
        task: The host task, as varied for this episode.
        vector: Its name.
        goal: Its name.
        seed: The canaries of the episode are drawn with it.
        texts: Whose words are on the screen.
        assets: Folders with the files that come with the tasks.

    Raises:
        InputError: There is no such vector or goal.
    """
    entry = entry_of(task, vector, goal)
    made = ActiveInjection.from_names(vector, goal, seed, None if entry is None else entry.params)
    made.instruction, made.assets, made.opened = task.instruction, assets, opened_applications(task)
    if entry is not None and entry.additional_config is not None:
        made.beside = _beside(task, entry.additional_config)
    base, twin = split_twin(goal)
    text = None if entry is None or texts == "own" else task_text(entry, base)
    if text is not None and twin is not None:
        made.text = twin_text(twin, made.canaries, len(text))
    elif text is not None:
        made.text, made.canaries = text, replace(made.canaries, **values_in(text))
    elif texts == "task":
        # There is none, so it is not played, and the record names no words of ours.
        made.text = ""
    return made


def _beside(task: Task, name: str) -> Beside | None:
    carrier = find_carrier(name)
    # Which document that is, the entry that carries the text in it says.
    params = next((entry.params for entry in task.injections if entry.type == name), dict[str, JsonValue]())
    return None if carrier is None else Beside(carrier, params)
