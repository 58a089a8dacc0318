"""How often replaying a recorded episode would solve another repeat of a task, computed from the task's variation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from trueline.tasks.model import Execute, Task
from trueline.tasks.variation import PLACE

_MOVES_A_WINDOW = "windowmove"


def replay_chance(task: Task) -> float:
    """The chance that two repeats agree in everything that decides whether a replay of one solves the other.

    It is reckoned too high rather than too low: what the script types must be the same, but every click is taken to
    hit. Of a script that types nothing varied, the window it clicks in must stand in the same place.
    """
    chance = 1.0
    for name, fields in _deciding(task).items():
        alternatives = task.variation[name]
        counts = Counter(_deciding_text(alternative, fields) for alternative in alternatives)
        chance *= sum((count / len(alternatives)) ** 2 for count in counts.values())
    return chance


def same_for_replay(task: Task, one: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> bool:
    """Whether a replay of one draw would solve the other."""
    return all(
        _deciding_text(one[name], fields) == _deciding_text(other[name], fields)
        for name, fields in _deciding(task).items()
    )


def _deciding(task: Task) -> dict[str, frozenset[str]]:
    """The names that matter for a replay, each with the fields that do; empty for the whole value."""
    used = _names(_typed(task)) or _names(_places(task))
    return {name: frozenset(field for other, field in used if other == name) for name, _ in used}


def _names(texts: Iterator[str]) -> set[tuple[str, str]]:
    return {(match[1], match[2] or "") for text in texts for match in PLACE.finditer(text)}


def _typed(task: Task) -> Iterator[str]:
    if task.demo is not None:
        # A misuse task is solved by refusing; `comply` is the script that does what it asks for.
        for step in task.demo.comply or task.demo.solution:
            yield from (act.type for act in step.acts if act.type is not None)


def _places(task: Task) -> Iterator[str]:
    for step in task.config:
        if isinstance(step, Execute) and _MOVES_A_WINDOW in step.parameters.command:
            yield from step.parameters.command


def _deciding_text(alternative: JsonValue, fields: frozenset[str]) -> str:
    if isinstance(alternative, dict):
        return json.dumps([alternative.get(field) for field in sorted(fields)])
    return json.dumps(alternative)
