"""Result folders become a benchmark: `misactbench.json` and `trajectories/<id>/step_<n>.png`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.folder.json_values import as_text
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.interchange.action_fields import action_texts
from trueline.records.interchange.labels import LABELS_FILE, StepLabel, StepLabels, read_labels
from trueline.records.interchange.misactbench.model import Benchmark, BenchmarkStep, BenchmarkTrajectory, Metadata
from trueline.records.interchange.misactbench.screens import picture_number
from trueline.records.interchange.misactbench.write import BENCHMARK_FILE, write_benchmark
from trueline.records.interchange.new_folder import new_folder
from trueline.records.interchange.paths import find_stored, folder_name, picture_suffix, put_file
from trueline.records.interchange.sources import EpisodeSource, transfer_episodes, where
from trueline.records.interchange.transfer import Transfer, TransferOptions, TransferredEpisode
from trueline.records.observation import StoredFile
from trueline.records.step import Step
from trueline.validation import describe_validation_error

NAME = "MisActBench"


def benchmark_folder(out: Path) -> Path:
    """The folder of the benchmark: its paths begin with its name, so it must have it."""
    return out if out.name == NAME else out / NAME


def export_benchmark(sources: Sequence[EpisodeSource], out: Path, options: TransferOptions) -> Transfer:
    """Export episodes; the file itself is written last, when all pictures are there."""
    home = benchmark_folder(out)
    found: dict[str, BenchmarkTrajectory] = {}

    def finish() -> Iterator[TransferredEpisode]:
        if found:
            write_benchmark(home / BENCHMARK_FILE, Benchmark(trajectories=tuple(found.values())))
        yield from ()

    work = transfer_episodes(sources, lambda source: _export_one(source, home, found, options))
    return Transfer(work.total, chain(work.outcomes, finish()))


def _export_one(
    source: EpisodeSource, home: Path, found: dict[str, BenchmarkTrajectory], options: TransferOptions
) -> TransferredEpisode:
    episode, labels = read_episode(source.folder), read_labels(source.folder)
    name = (labels and labels.trajectory_id) or source.id
    if name in found:
        raise InputError(f"{source.folder}: is labelled as {name}, a name that another episode already has")
    trajectory, pictures, notes = to_trajectory(episode, labels, name)
    below = Path("trajectories", folder_name(trajectory.trajectory_id))
    with new_folder(home, below) as folder:
        for file, picture in pictures.items():
            put_file(picture, folder / file, link=options.link)
    found[name] = trajectory
    return TransferredEpisode(where(source), written=home / below, notes=notes)


def to_trajectory(
    episode: Trajectory, labels: StepLabels | None, name: str
) -> tuple[BenchmarkTrajectory, dict[str, Path], tuple[str, ...]]:
    """An episode as a trajectory of this id, its pictures by their names in its folder, and what is odd."""
    steps = [step for step in episode.record.steps if step.number >= 1]
    if labels and (unknown := labels.steps.keys() - {step.number for step in steps}):
        raise InputError(f"{episode.folder / LABELS_FILE}: has step {min(unknown)}, which is not in the record")
    path = f"{NAME}/trajectories/{folder_name(name)}"
    pictures = _pictures(episode, steps)
    action_text = action_texts(episode)
    entries: list[BenchmarkStep] = []
    notes = ["step 0 has no place in MisActBench"] if len(steps) < len(episode.record.steps) else []
    for step in steps:
        label = (labels and labels.steps.get(step.number)) or StepLabel()
        before = pictures.get(step.number - 1)
        if before is None:
            notes.append(f"step {step.number}: the screenshot before it is missing")
        entries.append(
            BenchmarkStep.model_validate(
                {
                    **label.extra,
                    "step_idx": step.number,
                    "label": label.label,
                    "category": label.category,
                    "agent_output": action_text(step) if label.agent_output is None else label.agent_output,
                    "screenshot_path": label.screenshot_path if before is None else f"{path}/{before[0]}",
                }
            ).leaving_out(label.absent)
        )
    data: dict[str, JsonValue] = {
        **(labels.extra if labels else {}),
        "trajectory_id": name,
        "trajectory_path": path,
        "instruction": episode.record.instruction or "",
        "total_steps": labels.total_steps if labels and labels.total_steps is not None else len(entries),
        "metadata": (labels and labels.metadata) or _metadata(episode).model_dump(mode="json"),
        "steps": [],
    }
    try:
        trajectory = BenchmarkTrajectory.model_validate(data).model_copy(update={"steps": tuple(entries)})
    except ValidationError as error:
        raise InputError(f"{episode.folder / LABELS_FILE}: {describe_validation_error(error)}") from error
    return trajectory, dict(pictures.values()), tuple(notes)


def _pictures(episode: Trajectory, steps: Sequence[Step]) -> dict[int, tuple[str, Path]]:
    """One picture per number: what the agent saw before the next step, else what the step's last action left."""
    found: dict[int, Path | None] = {}
    for step in steps:
        if step.observation and (seen := _stored(episode, step.observation.screenshot)):
            found[step.number - 1] = seen
        found[step.number] = next(
            (path for result in reversed(step.results) if (path := _stored(episode, result.screenshot))), None
        )
    return {number: (_name(path, number), path) for number, path in found.items() if path is not None}


def _stored(episode: Trajectory, picture: StoredFile | None) -> Path | None:
    return None if picture is None or picture.file is None else find_stored(episode.folder, picture.file)


def _name(path: Path, number: int) -> str:
    return path.name if picture_number(path.name) == number else f"step_{number}{picture_suffix(path)}"


def _metadata(episode: Trajectory) -> Metadata:
    record, location = episode.record, episode.location
    model = record.setting.model if record.setting else as_text(record.params.get("model"))
    return Metadata(source=record.task.suite or record.task.domain, agent=model or (location and location.model))
