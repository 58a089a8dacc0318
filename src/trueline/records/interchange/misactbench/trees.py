"""Accessibility trees beside the pictures of a trajectory: our addition, which other readers pass over."""

from __future__ import annotations

from pathlib import Path

from trueline.records.interchange.misactbench.model import BenchmarkStep, BenchmarkTrajectory
from trueline.records.interchange.paths import find_inside, find_stored

TREE_PATH = "tree_path"
"""Our key in a step: the file of the tree of the screen before it, in the folder of the trajectory's pictures."""
TREE_SCOPE = "tree_scope"


def tree_file(number: int) -> str:
    """The name of the tree of the screen after a step.

    It does not begin like the pictures: readers that take the first `step_0*` must not find it.
    """
    return f"tree_{number}.xml.gz"


def find_trees(benchmark_file: Path, trajectory: BenchmarkTrajectory) -> dict[int, Path]:
    """Find the trees of the screens before steps, by step number.

    Raises:
        RefusedError: A path leads out of the data set, or to something that is not a packed tree.
    """
    if not any(TREE_PATH in step.unknown for step in trajectory.steps):
        return {}
    own = Path(benchmark_file).absolute().parent
    folder = find_inside(trajectory.trajectory_path, (own.parent, own), (own, own.parent / "MisActBench"))
    found = {step.step_idx: _find(folder, step) for step in trajectory.steps} if folder is not None else {}
    return {number: path for number, path in found.items() if path is not None}


def _find(folder: Path, step: BenchmarkStep) -> Path | None:
    name = step.unknown.get(TREE_PATH)
    return find_stored(folder, name) if isinstance(name, str) else None
