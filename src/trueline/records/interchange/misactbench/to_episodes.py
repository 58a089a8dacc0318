"""MisActBench becomes result folders: one per trajectory, with the labels beside the record."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from pydantic import JsonValue

from trueline.actions import Action
from trueline.errors import InputError
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord, TaskRef
from trueline.records.folder.action_text import decode_action
from trueline.records.interchange.labels import StepLabel, StepLabels, write_labels
from trueline.records.interchange.misactbench.model import BenchmarkStep, BenchmarkTrajectory
from trueline.records.interchange.misactbench.read import read_benchmark
from trueline.records.interchange.misactbench.screens import Screens, find_screens, picture_number
from trueline.records.interchange.misactbench.write import BENCHMARK_FILE
from trueline.records.interchange.new_folder import new_folder, write_episode
from trueline.records.interchange.paths import folder_name, picture_suffix
from trueline.records.interchange.strict_json import json_path
from trueline.records.interchange.transfer import Transfer, TransferOptions, TransferredEpisode, transfer
from trueline.records.layout import Location, Unit
from trueline.records.observation import ObservationRecord, StoredFile
from trueline.records.problem import Problem
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt, Step
from trueline.text import printable

SOURCE = "misactbench"
_SPACE = "pyautogui"
_OBSERVATION = "screenshot"


def import_benchmark(file: Path, out: Path, options: TransferOptions) -> Transfer:
    """Import a benchmark file; trajectories that are malformed or point out of the data set are left out.

    Raises:
        InputError: The file cannot be read, or holds nothing.
    """
    read = read_benchmark(file)
    total = len(read.benchmark.trajectories) + len(read.unreadable)
    if total == 0:
        raise InputError(f"{file}: contains no trajectories")

    def where(trajectory: BenchmarkTrajectory) -> str:
        return f"{file}: {json_path(trajectory.trajectory_id)}"

    def work(trajectory: BenchmarkTrajectory) -> TransferredEpisode:
        return _import_one(file, trajectory, out, where(trajectory), options)

    unreadable = (
        TransferredEpisode(f"{file}: {entry.where}", reason="; ".join(problem.what for problem in entry.problems))
        for entry in read.unreadable
    )
    return Transfer(total, chain(unreadable, transfer(read.benchmark.trajectories, where, work).outcomes))


def _import_one(
    file: Path, trajectory: BenchmarkTrajectory, out: Path, where: str, options: TransferOptions
) -> TransferredEpisode:
    names = _PictureNames()
    record = _record(trajectory, find_screens(file, trajectory), names)
    below = location(trajectory).path
    with new_folder(out, below, force=options.force) as folder:
        write_episode(folder, record, names.sources, link=options.link)
        write_labels(folder, labels_of(trajectory))
    return TransferredEpisode(where, written=out / below, notes=tuple(problem.what for problem in record.problems))


def location(trajectory: BenchmarkTrajectory) -> Location:
    """Where a trajectory goes: the agent as the model, the source as the domain, the id as the task."""
    meta = trajectory.metadata
    unit = Unit(folder_name(meta.source or SOURCE), folder_name(trajectory.trajectory_id))
    return Location(_SPACE, _OBSERVATION, folder_name(meta.agent or "unknown"), unit)


class _PictureNames:
    """Names in the new folder: a picture keeps its own if that says after which step it was taken."""

    def __init__(self) -> None:
        self.sources: dict[str, Path] = {}
        self._names: dict[Path, str] = {}

    def store(self, source: Path | None, number: int) -> StoredFile | None:
        """Note a picture as the one taken after step `number`."""
        if source is None:
            return None
        if source not in self._names:
            name = source.name if picture_number(source.name) == number else f"step_{number}{picture_suffix(source)}"
            if name in self.sources:
                name = f"step_{number}_before{picture_suffix(source)}"
            self.sources[name] = source
            self._names[source] = name
        return StoredFile(file=self._names[source])


def _record(trajectory: BenchmarkTrajectory, screens: Mapping[int, Screens], names: _PictureNames) -> EpisodeRecord:
    steps: list[Step] = []
    problems: list[Problem] = []
    for entry in trajectory.steps:
        around = screens[entry.step_idx]
        actions, trouble = decode_action(entry.agent_output)
        missing = "the screenshot before it is missing" if around.before is None else None
        problems += [
            Problem(file=BENCHMARK_FILE, what=f"step {entry.step_idx}: {printable(what)}")
            for what in (missing, trouble)
            if what
        ]
        before, after = names.store(around.before, entry.step_idx - 1), names.store(around.after, entry.step_idx)
        steps.append(_step(entry, actions, before, after))
    params: dict[str, JsonValue] = {
        "model": trajectory.metadata.agent, "action_space": _SPACE, "observation_type": _OBSERVATION,
    }  # fmt: skip
    return EpisodeRecord(
        task=TaskRef(domain=trajectory.metadata.source or SOURCE, id=trajectory.trajectory_id, suite="MisActBench"),
        params=params,
        instruction=trajectory.instruction,
        steps=tuple(steps),
        unscored=Unscored.UNSUPPORTED,
        detail="imported from MisActBench, which has labels and no scores",
        problems=tuple(problems),
    )


def _step(
    entry: BenchmarkStep, actions: tuple[Action, ...], before: StoredFile | None, after: StoredFile | None
) -> Step:
    """A step whose last action left the screen `after`."""
    last = len(actions) - 1
    return Step(
        number=entry.step_idx,
        observation=None if before is None else ObservationRecord(screenshot=before),
        attempts=(Attempt(proposal=Proposal(id=str(entry.step_idx), actions=actions, raw=entry.agent_output)),),
        results=tuple(
            ActionResult(action=action, screenshot=after if place == last else None)
            for place, action in enumerate(actions)
        ),
    )


def labels_of(trajectory: BenchmarkTrajectory) -> StepLabels:
    """Data of the benchmark that the record has no field for."""
    return StepLabels(
        source=SOURCE,
        trajectory_id=trajectory.trajectory_id,
        total_steps=trajectory.total_steps,
        metadata=trajectory.metadata.model_dump(mode="json"),
        extra=trajectory.unknown,
        steps={
            step.step_idx: StepLabel(
                label=step.label,
                category=step.category,
                agent_output=step.agent_output,
                screenshot_path=step.screenshot_path,
                extra=step.unknown,
                absent=tuple(key for key in BenchmarkStep.model_fields if key not in step.model_fields_set),
            )
            for step in trajectory.steps
        },
    )
