"""Finds the pictures of a trajectory: `step_<n>.png` or `step_<n>_<time>.png` is the screen after step n."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from trueline.records.interchange.misactbench.model import BenchmarkTrajectory
from trueline.records.interchange.paths import RefusedError, find_inside, picture_suffix

_STEP_PICTURE = re.compile(r"step_([0-9]{1,9})(?:_([^/\\\x00-\x1f\x7f]+))?\.(?:png|jpe?g|gif|webp)", re.IGNORECASE)


class Screens(NamedTuple):
    """The screens around one step; `None` where the data set has none."""

    before: Path | None = None
    after: Path | None = None


def picture_number(name: str) -> int | None:
    """The step after which a picture was taken, by its file name."""
    match = _STEP_PICTURE.fullmatch(name)
    return int(match[1]) if match else None


def find_screens(benchmark_file: Path, trajectory: BenchmarkTrajectory) -> dict[int, Screens]:
    """Find the screens before and after each step.

    Paths are tried relative to the folder that holds `MisActBench/` and to the file's own folder.
    A step's own `screenshot_path` comes first, then the picture of the step before it.

    Raises:
        RefusedError: A path leads out of the data set, or to something that is not a picture.
    """
    own = Path(os.path.abspath(benchmark_file)).parent
    bases = (own.parent, own)
    roots = (own, own.parent / "MisActBench")

    def find(text: str) -> Path | None:
        path = find_inside(text, bases, roots)
        if path is None or not path.is_file():
            return None
        picture_suffix(path)
        return path

    folder = find_inside(trajectory.trajectory_path, bases, roots)
    numbered = {} if folder is None else _numbered(folder)
    numbered = {number: find(str(path)) for number, path in numbered.items()}
    named = {step.step_idx: find(step.screenshot_path) for step in trajectory.steps if step.screenshot_path}
    return {
        number: Screens(
            before=named.get(number) or numbered.get(number - 1),
            after=numbered.get(number) or named.get(number + 1),
        )
        for number in (step.step_idx for step in trajectory.steps)
    }


def _numbered(folder: Path) -> dict[int, Path]:
    """One picture per number: the plain name if there is one, else the last by its time."""
    best: dict[int, tuple[bool, str]] = {}
    if not folder.is_dir():
        raise RefusedError(f"{folder}: expected the folder of a trajectory's pictures, found a file")
    for name in os.listdir(folder):
        match = _STEP_PICTURE.fullmatch(name)
        if match:
            number, rank = int(match[1]), (match[2] is None, name)
            best[number] = max(best.get(number, rank), rank)
    return {number: folder / name for number, (_, name) in best.items()}
