"""Find the episodes below a folder and their scores, fast: one small file per episode is opened, no picture is listed.

A folder is an episode when it holds a result or any other file an episode leaves behind; an empty folder beside
episodes is one that never got so far. Folders whose name begins with a dot (attempts set aside) are passed over.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import orjson

from trueline.errors import InputError
from trueline.records.layout import Unit, parse_task_folder
from trueline.text import printable

UNMEASURED = "unmeasured"
RESULT_FILE = "result.txt"
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
_TAIL = 64 * 1024
"""Bytes at the end of a log in which the last line is looked for."""
_LONGEST_LINE = 4 * 1024 * 1024
"""The first event holds the instruction and the setting."""


class Condition(NamedTuple):
    """The three levels above the domain: what ran, as the folders name it."""

    action_space: str
    observation_type: str
    model: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode as the statistics see it: where it is and what it scored."""

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
        InputError: The folder is missing, is no folder or cannot be read.
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
        raise InputError(f"{error.filename}: may not be read; check its permissions") from error


class _Look(NamedTuple):
    """What one folder is at first sight."""

    is_episode: bool
    score: float | None = None
    problem: str | None = None
    subfolders: tuple[str, ...] = ()


class _Walk:
    """One walk below a folder; what a link leads to is looked at once."""

    def __init__(self, start: str, result_file: str) -> None:
        self._inside = f"{start}/"
        self._result_file = result_file
        self._linked: set[str] = set()

    def look(self, folder: str) -> _Look:
        content = self._content(folder)
        if content is not None:
            return content
        subfolders: list[str] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                named = entry.name in _LEFT_BY_AN_EPISODE or entry.name.startswith("step_")
                if named and not entry.is_dir():  # a model may be called so as well
                    return _Look(True, problem=_why_unscored(folder, self._result_file))
                if not entry.name.startswith(".") and entry.is_dir() and self._is_new(entry):
                    subfolders.append(entry.name)
        return _Look(False, subfolders=tuple(subfolders))

    def below(self, folder: str, look: _Look, depth: int) -> Iterator[Trial]:
        if look.is_episode:
            yield _trial(folder, look)
            return
        paths = [f"{folder}/{name}" for name in look.subfolders]
        children = [self.look(path) for path in paths]
        beside_episodes = any(child.is_episode for child in children)
        for path, child in zip(paths, children, strict=True):
            if beside_episodes and not child.is_episode and not child.subfolders:
                yield _trial(path, child._replace(problem="the folder is empty"))
            elif depth > 0:
                yield from self.below(path, child, depth - 1)

    def _content(self, folder: str) -> _Look | None:
        """What the file with the score says; `None` when there is none."""
        name = self._result_file
        try:
            # Not blocking: a named pipe must not hold us up.
            handle = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except PermissionError:
            if not os.access(folder, os.X_OK, effective_ids=os.access in os.supports_effective_ids):
                raise
            return _Look(True, problem=f"{name} may not be read")
        except OSError as error:
            return _Look(True, problem=f"{name} cannot be read ({error.strerror})")
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return _Look(True, problem=f"{name} is no file")
            return _Look(True, *parse_score(os.read(handle, 1000), name))
        finally:
            os.close(handle)

    def _is_new(self, entry: os.DirEntry[str]) -> bool:
        """Whether a folder is to be looked into: not a link to what is seen anyway, and none a second time."""
        if not entry.is_symlink():
            return True
        target = os.path.realpath(entry.path)
        if f"{target}/".startswith(self._inside) or self._inside.startswith(f"{target}/") or target in self._linked:
            return False
        self._linked.add(target)
        return True


def _trial(folder: str, look: _Look) -> Trial:
    action_space, observation_type, model, domain, name = ["", "", "", "", *folder.split("/")][-5:]
    return Trial(
        folder=folder,
        condition=Condition(action_space, observation_type, model),
        unit=Unit(domain, *parse_task_folder(name)),
        score=look.score,
        problem=look.problem,
        kind=_kind(folder),
    )


def parse_score(content: bytes, name: str = RESULT_FILE) -> tuple[float | None, str | None]:
    """Read a score from 0 to 1; anything else gives `None` and what is wrong with it."""
    text = content.decode("utf-8-sig", "replace").strip()
    try:
        # Python also takes 1_0 for a number; a result does not.
        score = float("" if "_" in text else text)
    except ValueError:
        shown = printable(text, 40)
        return None, f"{name} holds no number: {shown!r}" if text else f"{name} is empty"
    if not math.isfinite(score) or not 0.0 <= score <= 1.0:
        return None, f"{name} holds {printable(text, 40)}, which is no score from 0 to 1"
    return score, None


def _kind(folder: str) -> str | None:
    """The task's kind from the first line of our own record; the seeds do not write it."""
    try:
        with open(f"{folder}/events.jsonl", "rb") as file:
            first = file.readline(_LONGEST_LINE)
    except OSError:
        return None
    task = _object(_object(first).get("task"))
    if task.get("unmeasured") is True:
        return UNMEASURED
    kind = task.get("kind")
    return kind if isinstance(kind, str) else None


def _why_unscored(folder: str, result_file: str) -> str:
    """The reason our record gives, or the error a seed logged, or that it is unfinished."""
    ended = _last_line(f"{folder}/events.jsonl")
    reason = ended.get("unscored")
    if ended.get("event") == "ended" and isinstance(reason, str):
        detail = ended.get("detail")
        return printable(f"{reason}: {detail}" if detail else reason)
    error = _last_line(f"{folder}/traj.jsonl").get("Error")
    if isinstance(error, str):
        return f"error in traj.jsonl: {printable(error)}"
    return f"unfinished: no {result_file}"


def _last_line(path: str) -> dict[str, object]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read().strip().rsplit(b"\n", 1)
    except OSError:
        return {}
    return _object(lines[-1])


def _object(value: object) -> dict[str, object]:
    """A JSON object from text or from a value inside one; anything else is an empty one."""
    if isinstance(value, bytes):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}  # pyright: ignore
