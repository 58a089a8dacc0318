"""Reads misactbench.json in all its variants. A trajectory is read whole or not at all, and every problem is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.interchange.json_place import JsonPlace
from trueline.records.interchange.misactbench.model import Benchmark, BenchmarkStep, BenchmarkTrajectory, default_path
from trueline.records.interchange.strict_json import load_strict
from trueline.records.problem import Problem
from trueline.text import printable

ACTION_KEYS = ("agent_output", "action", "response", "code")
"""Keys that may hold the action; the first one present counts."""
_NUMBER = re.compile(r"[0-9]{1,9}")


class Unreadable(NamedTuple):
    """A trajectory that was left out, and all that is wrong with it."""

    where: str
    """Place of the trajectory in the file."""
    problems: tuple[Problem, ...]


class BenchmarkRead(NamedTuple):
    """What a file holds."""

    benchmark: Benchmark
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems in the order of the file."""
        return tuple(problem for entry in self.unreadable for problem in entry.problems)


def read_benchmark(path: Path) -> BenchmarkRead:
    """Read the file; trajectories that are malformed are left out with their problems.

    Raises:
        InputError: The file cannot be read, is no JSON, or holds neither an object nor a list.
    """
    return parse_benchmark(load_strict(path), str(path))


def parse_benchmark(data: JsonValue, file: str) -> BenchmarkRead:
    """Read parsed JSON; `file` names it in problems.

    Raises:
        InputError: It is neither an object keyed by trajectory id nor a list of trajectories.
    """
    if not isinstance(data, dict | list):
        raise InputError(f"{file}: expected an object keyed by trajectory id, or a list of trajectories")
    found: dict[str, BenchmarkTrajectory] = {}
    unreadable: list[Unreadable] = []
    for part, entry in _entries(data):
        place = JsonPlace(file) / part
        trajectory = parse_trajectory(entry, place)
        if trajectory is not None and trajectory.trajectory_id in found:
            (place / "trajectory_id").wrong("duplicate id", trajectory.trajectory_id)
        if trajectory is None or place.problems:
            unreadable.append(Unreadable(str(place), tuple(place.problems)))
        else:
            found[trajectory.trajectory_id] = trajectory
    return BenchmarkRead(Benchmark(trajectories=tuple(found.values())), tuple(unreadable))


def parse_trajectory(entry: JsonValue, place: JsonPlace) -> BenchmarkTrajectory | None:
    """One entry as a trajectory; what is wrong is noted at its place."""
    if not isinstance(entry, dict):
        place.wrong("expected an object with a trajectory's fields", entry)
        return None
    data = dict(entry)
    key = place.path[-1]
    named = data.setdefault("trajectory_id", key if isinstance(key, str) else None)
    if isinstance(key, str) and named != key:
        (place / "trajectory_id").wrong(f"expected the entry's own key {printable(key, 60)}", named)
    steps = sorted(parse_steps(data.pop("steps", None), place / "steps"), key=lambda step: step.step_idx)
    for before, step in pairwise(steps):
        if before.step_idx == step.step_idx:
            (place / "steps").wrong(f"duplicate step {step.step_idx}")
    defaults: dict[str, JsonValue] = {
        "trajectory_path": default_path(str(named)),
        "total_steps": steps[-1].step_idx if steps else 0,
        "metadata": {},
    }
    given = {name: value for name, value in data.items() if value is not None or name not in defaults}
    trajectory = place.validate(BenchmarkTrajectory, {**defaults, **given, "steps": []})
    return None if trajectory is None else trajectory.model_copy(update={"steps": tuple(steps)})


def parse_steps(value: JsonValue, place: JsonPlace) -> Iterator[BenchmarkStep]:
    """The steps of an object keyed by number, or of a list; what is wrong is noted."""
    if not isinstance(value, dict | list):
        place.wrong("expected an object keyed by step number, or a list of steps", value)
        return
    for part, entry in _entries(value):
        here = place / part
        if not isinstance(entry, dict):
            here.wrong("expected an object with a step's fields", entry)
            continue
        number = _step_number(entry, here)
        text, key = _action(entry, here)
        data = {name: item for name, item in entry.items() if name != key}
        step = here.validate(BenchmarkStep, {**data, "step_idx": number or 1, "agent_output": text})
        if step is not None and number is not None:
            yield step if "step_idx" in entry else step.leaving_out(["step_idx"])


def _entries(value: dict[str, JsonValue] | list[JsonValue]) -> Iterator[tuple[str | int, JsonValue]]:
    yield from value.items() if isinstance(value, dict) else enumerate(value)


def _step_number(entry: dict[str, JsonValue], place: JsonPlace) -> int | None:
    key, named = place.path[-1], entry.get("step_idx")
    if isinstance(key, str) and not _NUMBER.fullmatch(key):
        place.wrong("expected a step number as the key")
        return None
    expected = int(key) if isinstance(key, str) else key + 1
    if named is None:
        return expected
    number = int(named) if isinstance(named, str) and _NUMBER.fullmatch(named) else named
    if not isinstance(number, int) or isinstance(number, bool):
        (place / "step_idx").wrong("expected a step number", named)
        return None
    if isinstance(key, str) and number != expected:
        (place / "step_idx").wrong(f"expected the entry's own key {expected}", named)
    return number


def _action(entry: dict[str, JsonValue], place: JsonPlace) -> tuple[str, str | None]:
    """The action as text, and the key it stood under; only a step without a label may lack it."""
    for key in ACTION_KEYS:
        value = entry.get(key)
        if value is not None:
            return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)), key
    if entry.get("label") is not None:
        (place / "agent_output").wrong("expected the action (here or under action, response or code)")
    return "", None
