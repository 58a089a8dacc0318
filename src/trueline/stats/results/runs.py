"""Runs read from folders and written to them: each is one repeat of everything below it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trueline.errors import InputError
from trueline.records.layout import SETTING_FILE, Unit
from trueline.records.scan import RESULT_FILE, Condition, Trial, scan

_RUN = re.compile(r"run(\d+)")
_THREADS = 4


@dataclass(frozen=True, slots=True)
class RunResults:
    """One repeat: its folder and its trials, by what ran and by unit."""

    label: str
    """The folder as the user named it."""
    folder: str
    trials: dict[Condition, dict[Unit, Trial]]


def read_runs(roots: Sequence[Path], result_file: str = RESULT_FILE) -> list[RunResults]:
    """Read each folder as one run; a folder that holds `run1`, `run2` … stands for those.

    Raises:
        InputError: A folder is unusable, holds no episode, holds one twice, or is named twice.
    """
    folders = [folder for root in roots for folder in _repeats_in(root)]
    seen: dict[str, Path] = {}
    for folder in folders:
        real = os.path.realpath(folder)
        if real in seen:
            raise InputError(f"{folder}: is listed twice; a run counts once")
        seen[real] = folder
    # A disk that has to be waited for answers several questions at once.
    with ThreadPoolExecutor(_THREADS) as pool:
        found = list(pool.map(scan, folders, repeat(result_file)))
    return [_run(folder, trials, result_file) for folder, trials in zip(folders, found, strict=True)]


def _repeats_in(root: Path) -> list[Path]:
    try:
        if not root.is_dir():
            return [root]
        names = [entry.name for entry in os.scandir(root) if entry.is_dir() and not entry.name.startswith(".")]
    except PermissionError:
        raise InputError(f"{root}: cannot be read; check its permissions") from None
    found: dict[int, Path] = {}
    for name in names:
        if match := _RUN.fullmatch(name):
            number = int(match[1])
            if number in found:
                raise InputError(
                    f"{root}: holds {found[number].name} and {name}; list the folders of the runs one by one"
                )
            found[number] = root / name
    if not found:
        return [root]
    for name in names:
        if not _RUN.fullmatch(name) and scan(root / name):
            first = found[min(found)].name
            raise InputError(
                f"{root}: holds episodes in {name} beside {first}; list the folders of the runs one by one"
            )
    return [found[number] for number in sorted(found)]


def _run(folder: Path, trials: Iterable[Trial], result_file: str) -> RunResults:
    by_condition: dict[Condition, dict[Unit, Trial]] = {}
    for trial in trials:
        units = by_condition.setdefault(trial.condition, {})
        if trial.unit in units:
            raise InputError(
                f"{folder}: holds {trial.unit} twice ({units[trial.unit].folder} and {trial.folder}); "
                "list the folders of the runs one by one"
            )
        units[trial.unit] = trial
    if not by_condition:
        named = folder if folder.parts else "the current folder (an empty name means it too)"
        raise InputError(
            f"{named}: no episode below it; expected <action_space>/<observation_type>/<model>/<domain>/<task>/"
            f"{result_file} or a deeper part of that"
        )
    return RunResults(label=str(folder), folder=os.path.realpath(folder), trials=by_condition)


def model_folder(trials: Iterable[Trial]) -> Path | None:
    """The folder of the model that these trials of one run and condition lie in."""
    first = next(iter(trials), None)
    return None if first is None else Path(first.folder).parents[1]


def setting_file(trials: Iterable[Trial]) -> Path | None:
    """The record of the setting beside these trials, if there is one."""
    folder = model_folder(trials)
    path = None if folder is None else folder / SETTING_FILE
    return path if path is not None and path.is_file() else None


def write_runs(
    root: Path, condition: Condition, units: Sequence[Unit], scores: NDArray[np.float64 | np.int_ | np.bool_]
) -> list[Path]:
    """Write `run1`, `run2` … below a folder, one per column of scores; a NaN leaves no folder."""
    runs: list[Path] = []
    for column in range(scores.shape[1]):
        run = root / f"run{column + 1}"
        model = run.joinpath(*condition)
        for unit, score in zip(units, scores[:, column].tolist(), strict=True):
            if score == score:
                folder = model / str(unit)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / RESULT_FILE).write_text(f"{float(score)}\n")
        runs.append(run)
    return runs
