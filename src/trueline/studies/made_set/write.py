"""Writes a set from recorded episodes: `misactbench.json`, screenshots, and the trees beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from trueline.agents.registry import SIMULATED
from trueline.errors import InputError
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.interchange.labels import StepLabel, StepLabels
from trueline.records.interchange.misactbench import START, Benchmark, BenchmarkTrajectory, write_benchmark
from trueline.records.interchange.misactbench.from_episodes import benchmark_folder, to_trajectory
from trueline.records.interchange.misactbench.trees import TREE_PATH, TREE_SCOPE, tree_file
from trueline.records.interchange.misactbench.write import BENCHMARK_FILE
from trueline.records.interchange.new_folder import new_folder
from trueline.records.interchange.paths import find_stored, folder_name, put_file
from trueline.records.interchange.sources import EpisodeSource, find_sources
from trueline.records.layout import Unit
from trueline.studies.made_set.labels import EpisodeLabels, label_episode
from trueline.studies.made_set.task_start import episode_start

CONSTRUCTION = "construction"
"""Our key in a step: how its label came about, or why it has none."""
Tell = Callable[[int, int], None]
"""Called with the number of episodes that are done, and of all."""


@dataclass(frozen=True)
class LeftOutEpisode:
    """An episode that is not in the set."""

    folder: str
    why: str


@dataclass(frozen=True)
class MadeSet:
    """A set that was written."""

    file: Path
    episodes: int
    steps: dict[str, int]
    """Labelled steps by `aligned` and the categories."""
    without_tree: int
    """Labelled steps whose screen has no accessibility tree."""
    left_out: tuple[LeftOutEpisode, ...] = ()
    simulated: bool = True
    """Whether any episode was played by a simulated subject."""

    @property
    def labelled(self) -> int:
        """All labelled steps."""
        return sum(self.steps.values())


@dataclass
class _Gathered:
    trajectories: dict[str, BenchmarkTrajectory] = field(default_factory=dict[str, BenchmarkTrajectory])
    counts: Counter[str] = field(default_factory=Counter[str])
    without_tree: int = 0
    simulated: bool = False
    left_out: list[LeftOutEpisode] = field(default_factory=list[LeftOutEpisode])


def write_set(roots: Sequence[Path], out: Path, *, link: bool = False, tell: Tell = lambda _, __: None) -> MadeSet:
    """Write the set; what is there already and unchanged is kept, and the file itself is written last.

    Args:
        roots: Folders of recorded episodes.
        out: Takes the folder `MisActBench`, unless it is called so itself.
        link: Hard-link pictures and trees instead of copying them, where possible.
        tell: Told after each episode.

    Raises:
        InputError: A folder holds no episode, or no step gets a label.
    """
    home = benchmark_folder(out)
    sources = find_sources(roots)
    gathered = _Gathered()
    for done, source in enumerate(sources, 1):
        try:
            _add(source, home, gathered, link=link)
        except InputError as error:
            gathered.left_out.append(LeftOutEpisode(str(source.folder), str(error)))
        tell(done, len(sources))
    if not gathered.trajectories:
        first = gathered.left_out[0]
        raise InputError(f"no step gets a label; the first of {len(sources)} episodes, {first.folder}, {first.why}")
    file = home / BENCHMARK_FILE
    write_benchmark(file, Benchmark(trajectories=tuple(gathered.trajectories.values())))
    return MadeSet(
        file,
        len(gathered.trajectories),
        dict(sorted(gathered.counts.items())),
        gathered.without_tree,
        tuple(gathered.left_out),
        gathered.simulated,
    )


def _add(source: EpisodeSource, home: Path, gathered: _Gathered, *, link: bool) -> None:
    episode = read_episode(source.folder)
    labels = label_episode(episode.record)
    if labels.left_out:
        gathered.left_out.append(LeftOutEpisode(str(source.folder), labels.left_out))
        return
    files = _trees(episode)
    trajectory, pictures, _ = to_trajectory(episode, _labels(episode, labels, files), source.id)
    put = pictures | {tree_file(number): path for number, path in files.items()}
    folder = home / "trajectories" / folder_name(trajectory.trajectory_id)
    if not _is_there(folder, put):
        with new_folder(home, folder.relative_to(home), force=True) as fresh:
            for name, path in put.items():
                put_file(path, fresh / name, link=link)
    gathered.trajectories[trajectory.trajectory_id] = trajectory
    gathered.simulated |= bool(trajectory.metadata.unknown.get("simulated"))
    for number, step in labels.steps.items():
        if step.label is not None:
            gathered.counts[step.category.value if step.category else "aligned"] += 1
            gathered.without_tree += number - 1 not in files


def _is_there(folder: Path, put: dict[str, Path]) -> bool:
    """Whether an earlier run wrote the same files."""
    if not folder.is_dir():
        return False
    there = {path.name: path.stat().st_size for path in folder.iterdir()}
    return there == {name: path.stat().st_size for name, path in put.items()}


def _trees(episode: Trajectory) -> dict[int, Path]:
    """The stored tree of the screen after each step, like the pictures: that before step 1 has number 0."""
    found: dict[int, Path] = {}
    for step in episode.record.steps:
        stored = step.observation.tree if step.observation else None
        path = None if stored is None or stored.file is None else find_stored(episode.folder, stored.file)
        if step.number >= 1 and path is not None:
            found[step.number - 1] = path
    return found


def _labels(episode: Trajectory, labels: EpisodeLabels, trees: dict[int, Path]) -> StepLabels:
    scopes = {step.number: step.observation.tree_scope for step in episode.record.steps if step.observation}

    def extra(number: int, why: str) -> dict[str, JsonValue]:
        more: dict[str, JsonValue] = {CONSTRUCTION: why}
        if number - 1 in trees:
            more |= {TREE_PATH: tree_file(number - 1), TREE_SCOPE: scopes.get(number) or "screen"}
        return more

    return StepLabels(
        source="made from runs",
        metadata=_metadata(episode, labels),
        steps={
            number: StepLabel(label=step.label, category=step.category, extra=extra(number, step.why))
            for number, step in labels.steps.items()
        },
    )


def _metadata(episode: Trajectory, labels: EpisodeLabels) -> dict[str, JsonValue]:
    record, setting = episode.record, episode.record.setting
    agent = setting.agent if setting else None
    attack = record.attack
    return {
        "source": record.task.suite or record.task.domain,
        "agent": (setting.model if setting else None) or agent,
        "simulated": bool(agent and agent.startswith(SIMULATED)),
        "host": "/".join(Unit(record.task.domain, record.task.id).host),
        "benign": attack is None and labels.misaligned == 0,
        "vector": attack.vector if attack else None,
        "goal": attack.goal if attack else None,
        "instruction": setting.instruction if setting else None,
        "perturbation": setting.perturbation if setting else None,
        "repeat": record.repeat,
        "seed": record.seed,
        START: episode_start(episode),
    }
