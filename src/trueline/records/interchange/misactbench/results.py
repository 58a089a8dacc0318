"""DeAction's result file and narrative cache as data, read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue

from trueline.errors import InputError
from trueline.records.base import Count
from trueline.records.interchange.json_place import JsonPlace
from trueline.records.interchange.misactbench.model import BenchmarkStep, Metadata
from trueline.records.interchange.open_record import OpenRecord
from trueline.records.interchange.strict_json import load_strict, write_json
from trueline.records.problem import Problem

MISSING_PRE_SCREENSHOT = "missing_pre_screenshot"
"""The `error` of a step that cannot be judged because its screen is not there."""
MISSING_LABEL = "missing_label"
"""Why a step was `skipped`: nobody labelled it."""


class Evaluation(OpenRecord):
    """A guard's verdict on one step."""

    systematic_analysis: str = "deaction"
    systematic_analysis_model: str | None = None
    fast_check_model: str | None = None
    is_misaligned: bool | None = None
    """`None` with an `error` is undecided."""
    thought: str | None = None
    time: float | str | None = None
    error: str | None = None
    skipped: str | None = None


class NarrativeSummary(OpenRecord):
    """What one executed action did."""

    step_idx: int
    action: str
    narrative: str
    model: str | None = None


class ResultStep(BenchmarkStep):
    """A step of the benchmark with its result."""

    post_screenshot_path: str | None = None
    systematic_analysis_evaluation: Evaluation | None = None
    narrative_summary: NarrativeSummary | None = None
    narrative_summary_error: str | None = None


class ResultTrajectory(OpenRecord):
    """A trajectory with the results of its steps."""

    trajectory_id: str = Field(min_length=1)
    trajectory_path: str
    instruction: str
    steps: dict[int, ResultStep]
    """Steps by number; a file holds the numbers as text."""
    total_steps: Count
    status: Literal["pending", "in_progress", "completed"] = "pending"
    metadata: Metadata = Metadata()


NarrativeCache = dict[str, dict[int, NarrativeSummary]]
"""By trajectory id and step number."""

# Absent when there is nothing to say, unlike `label` or `is_misaligned`, where null says something.
_OPTIONAL_STEP = ("systematic_analysis_evaluation", "narrative_summary", "narrative_summary_error")
_OPTIONAL_EVALUATION = ("error", "skipped")
_NUMBER = re.compile(r"[0-9]{1,9}")


class ResultsRead(NamedTuple):
    """The content of a result file; malformed entries are left out and listed."""

    trajectories: dict[str, ResultTrajectory]
    problems: tuple[Problem, ...]


class CacheRead(NamedTuple):
    """The content of a narrative cache; malformed entries are left out and listed."""

    narratives: NarrativeCache
    problems: tuple[Problem, ...]


def read_results(path: Path) -> ResultsRead:
    """Read a result file, so that a run can resume from it.

    Raises:
        InputError: The file cannot be read or is no JSON object; it is never taken for an empty one.
    """
    place = JsonPlace(str(path))
    found: dict[str, ResultTrajectory] = {}
    for key, entry in _object(path).items():
        if not isinstance(entry, dict):
            (place / key).wrong("expected an object with a trajectory's results", entry)
            continue
        trajectory = (place / key).validate(ResultTrajectory, {"trajectory_id": key, **entry})
        if trajectory is not None:
            found[key] = trajectory
    return ResultsRead(found, tuple(place.problems))


def dump_result(trajectory: ResultTrajectory) -> dict[str, JsonValue]:
    """One entry of the file."""
    data = trajectory.model_dump(mode="json")
    data["steps"] = {str(number): _dump_step(step) for number, step in sorted(trajectory.steps.items())}
    return data


def write_results(path: Path, trajectories: Mapping[str, ResultTrajectory]) -> None:
    """Write a result file by atomic rename."""
    write_json(path, {key: dump_result(trajectory) for key, trajectory in trajectories.items()})


def read_narratives(path: Path) -> CacheRead:
    """Read a narrative cache.

    Raises:
        InputError: The file cannot be read or is no JSON object.
    """
    place = JsonPlace(str(path))
    found: NarrativeCache = {}
    for key, entries in _object(path).items():
        if not isinstance(entries, dict):
            (place / key).wrong("expected an object keyed by step number", entries)
            continue
        for number, entry in entries.items():
            here = place / key / number
            if not _NUMBER.fullmatch(number) or not isinstance(entry, dict):
                here.wrong("expected a narrative under the number of its step", entry)
                continue
            narrative = here.validate(NarrativeSummary, {"step_idx": int(number), **entry})
            if narrative is not None:
                found.setdefault(key, {})[int(number)] = narrative
    return CacheRead(found, tuple(place.problems))


def write_narratives(path: Path, narratives: NarrativeCache) -> None:
    """Write a narrative cache by atomic rename."""
    data: dict[str, JsonValue] = {
        key: {str(number): entry.model_dump(mode="json") for number, entry in sorted(entries.items())}
        for key, entries in narratives.items()
    }
    write_json(path, data)


def _object(path: Path) -> dict[str, JsonValue]:
    value = load_strict(path)
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected an object keyed by trajectory id")
    return value


def _dump_step(step: ResultStep) -> dict[str, JsonValue]:
    data = _drop_unset(step.model_dump(mode="json"), _OPTIONAL_STEP)
    evaluation = step.systematic_analysis_evaluation
    if evaluation is not None:
        data["systematic_analysis_evaluation"] = _drop_unset(evaluation.model_dump(mode="json"), _OPTIONAL_EVALUATION)
    return data


def _drop_unset(data: dict[str, JsonValue], optional: tuple[str, ...]) -> dict[str, JsonValue]:
    return {key: value for key, value in data.items() if value is not None or key not in optional}
