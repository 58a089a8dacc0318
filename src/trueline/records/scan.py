"""Find the episodes below a folder and their scores, fast: one small file per episode is opened, no picture is listed.

A folder is an episode when it holds a result or any other file an episode leaves behind; an empty folder beside
episodes is one that never got so far. Folders whose name begins with a dot (attempts set aside) are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.records.episode_state import (
    RESULT_FILE,
    UNMEASURED,
    EpisodeState,
    decide,
    parse_score,
    read_result,
)
from trueline.records.layout import Unit, parse_task_folder, split_levels

__all__ = ["RESULT_FILE", "UNMEASURED", "Condition", "Trial", "parse_score", "scan"]

_LEFT_BY_AN_EPISODE = frozenset(
    {
        "result.txt",
        "traj.jsonl",
        "better_log.json",
        "events.jsonl",
        "episode.json",
        "instruction.txt",
        "runtime.log",
        "recording.mp4",
    }
)
_DEEPEST = 8
"""Levels below the given folder: five of the layout, and some for folders of settings and repeats."""


class Condition(NamedTuple):
    """The three levels above the domain: what ran, as the folders name it."""

    action_space: str
    observation_type: str
    model: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode for statistics: its location and score."""

    folder: str
    condition: Condition
    unit: Unit
    score: float | None
    problem: str | None = None
    """Why there is no score."""
    kind: str | None = None
    """The task's kind, where our own record says it; `unmeasured`: the score says neither success nor harm."""


def scan(root: Path, result_file: str = RESULT_FILE) -> list[Trial]:
    """Return the trials at or below a folder, sorted by folder.

    Args:
        root: A result folder at any level: of runs, one run, a model, a domain, one episode.
        result_file: The file in each episode that holds the score.

    Raises:
        InputError: The folder is missing, is not a folder or cannot be read.
    """
    try:
        if not root.is_dir():
            wrong = "this is a file; name the folder of results" if root.exists() else "there is no such folder"
            raise InputError(f"{root}: {wrong}")
        # The last five names of the whole path tell what an episode is, also when the given folder lies deep.
        start = os.path.realpath(root)
        walk = _Walk(start, result_file)
        return sorted(walk.below(start, walk.look(start), _DEEPEST), key=lambda trial: trial.folder)
    except PermissionError as error:
        raise InputError(f"{error.filename}: cannot be read; check its permissions") from error


class _FolderListing(NamedTuple):
    """What a folder contains, from its listing alone."""

    state: EpisodeState | None = None
    """State of an episode; `None` for any other folder."""
    subfolders: tuple[str, ...] = ()


class _Walk:
    """One walk below a folder; the target of a link is visited once."""

    def __init__(self, start: str, result_file: str) -> None:
        self._inside = f"{start}/"
        self._result_file = result_file
        self._linked: set[str] = set()

    def look(self, folder: str) -> _FolderListing:
        result = read_result(folder, self._result_file)
        if result is not None:
            return _FolderListing(decide(folder, result, self._result_file))
        subfolders: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                named = entry.name in _LEFT_BY_AN_EPISODE or entry.name.startswith("step_")
                if named and not entry.is_dir():  # a model may be called so as well
                    return _FolderListing(decide(folder, None, self._result_file))
                if not entry.name.startswith(".") and entry.is_dir() and self._is_new(entry):
                    subfolders.append(entry.name)
        return _FolderListing(subfolders=tuple(subfolders))

    def below(self, folder: str, look: _FolderListing, depth: int) -> Iterator[Trial]:
        if look.state is not None:
            yield _trial(folder, look.state)
            return
        paths = [f"{folder}/{name}" for name in look.subfolders]
        children = [self.look(path) for path in paths]
        beside_episodes = any(child.state is not None for child in children)
        for path, child in zip(paths, children, strict=True):
            if beside_episodes and child.state is None and not child.subfolders:
                yield _trial(path, EpisodeState(problem="the folder is empty"))
            elif depth > 0:
                yield from self.below(path, child, depth - 1)

    def _is_new(self, entry: os.DirEntry[str]) -> bool:
        """Whether a folder is to be looked into: not a link to what is seen anyway, and none a second time."""
        if not entry.is_symlink():
            return True
        target = os.path.realpath(entry.path)
        if f"{target}/".startswith(self._inside) or self._inside.startswith(f"{target}/") or target in self._linked:
            return False
        self._linked.add(target)
        return True


def _trial(folder: str, state: EpisodeState) -> Trial:
    action_space, observation_type, model, domain, name = split_levels(folder.rsplit("/", 8))
    return Trial(
        folder=folder,
        condition=Condition(action_space, observation_type, model),
        unit=Unit(domain, *parse_task_folder(name)),
        score=state.averaged,
        problem=state.why_not_averaged,
        kind=state.kind,
    )
