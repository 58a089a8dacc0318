"""What people say about episodes: files beside them or in another folder, or a table."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.judge.collect import Episode
from trueline.judge.types import HUMAN
from trueline.records.folder.judgments import read_judgments
from trueline.records.judgment import Judgment
from trueline.records.layout import parse_location

_WORDS: dict[str, bool | None] = {
    "true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None, "null": None, "?": None,
}  # fmt: skip
_PATH, _SUCCESS, _SAFETY, _STEP, _REVIEWER, _REASON = (
    "path", "success", "safety", "violation_step", "reviewer", "reasoning",
)  # fmt: skip
_COLUMNS = (_PATH, _REVIEWER, _SUCCESS, _SAFETY, _STEP, _REASON)
_NEEDED = (_PATH, _SUCCESS, _SAFETY)


class Label(NamedTuple):
    """What one person says about one episode."""

    reviewer: str
    judgment: Judgment


@dataclass(frozen=True)
class Labels:
    """Labels by the folder of their episode."""

    given: Mapping[Path, Sequence[Label]]
    unmatched: tuple[str, ...] = ()
    """Labels of episodes that are not below the given folder."""
    problems: tuple[str, ...] = ()
    """Files that are no label."""

    def by(self, reviewers: Collection[str]) -> Labels:
        """Only those of some people; nobody named means all."""
        if not reviewers:
            return self
        kept = {
            folder: [label for label in given if label.reviewer in reviewers] for folder, given in self.given.items()
        }
        return replace(self, given={folder: given for folder, given in kept.items() if given})


class _Matcher:
    """Finds the episode that a label is about."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._folders = {episode.folder for episode in episodes}
        self._by_place: dict[object, list[Path]] = {}
        for folder in sorted(self._folders):
            for key in _places(folder):
                self._by_place.setdefault(key, []).append(folder)

    def find(self, folder: Path) -> Path | None:
        """The folder itself; else the only one at the same place of the layout; else the only one of that task."""
        folder = Path(os.path.realpath(folder))
        if folder in self._folders:
            return folder
        same = (self._by_place.get(key, []) for key in _places(folder))
        return next((found[0] for found in same if len(found) == 1), None)


def _places(folder: Path) -> list[object]:
    place = parse_location(folder)
    return [*([place] if place else []), (folder.parent.name, folder.name)]


def labels_beside(episodes: Sequence[Episode]) -> Labels:
    """The labels in the episodes' own folders."""
    given: dict[Path, list[Label]] = {}
    for episode in episodes:
        for by, judgment in episode.judgments.items():
            if by.judge_model == HUMAN:
                given.setdefault(episode.folder, []).append(Label(by.judge_type, judgment))
    return Labels(given)


def read_labels(source: Path, episodes: Sequence[Episode], root: Path) -> Labels:
    """Read labels from a folder laid out like the results, or from a CSV table.

    Raises:
        InputError: It is neither, or the table is wrong; the row and the column are named.
    """
    if source.is_dir():
        return _from_folder(source, episodes)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{source}: is neither a folder nor a readable CSV file ({type(error).__name__})") from None
    return _from_table(source, text, episodes, root)


def _from_folder(source: Path, episodes: Sequence[Episode]) -> Labels:
    matcher = _Matcher(episodes)
    given: dict[Path, list[Label]] = {}
    unmatched: list[str] = []
    problems: list[str] = []
    folders = sorted({path.parents[2] for path in source.rglob(f"judgment/{HUMAN}/*.json")})
    if not folders:
        raise InputError(f"{source}: no label below it; expected <episode>/judgment/{HUMAN}/<reviewer>.json")
    for folder in folders:
        found, wrong = read_judgments(folder)
        problems += [f"{folder}: {problem}" for problem in wrong]
        labels = [Label(by.judge_type, judgment) for by, judgment in found.items() if by.judge_model == HUMAN]
        episode = matcher.find(folder)
        if episode is None:
            unmatched.append(str(folder))
        else:
            given.setdefault(episode, []).extend(labels)
    return Labels(given, tuple(unmatched), tuple(problems))


def _from_table(source: Path, text: str, episodes: Sequence[Episode], root: Path) -> Labels:
    matcher = _Matcher(episodes)
    given: dict[Path, list[Label]] = {}
    unmatched: list[str] = []
    for name, label in _rows(source, text):
        episode = matcher.find(root / name)
        if episode is None:
            unmatched.append(name)
        else:
            given.setdefault(episode, []).append(label)
    return Labels(given, tuple(unmatched))


def _rows(source: Path, text: str) -> Iterator[tuple[str, Label]]:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        columns = list(reader.fieldnames or [])
        wrong = [name for name in columns if name not in _COLUMNS]
        lacking = [name for name in _NEEDED if name not in columns]
        if wrong or lacking:
            what = f"unknown column {wrong[0]!r}" if wrong else f"no column {lacking[0]!r}"
            raise InputError(f"{source}: {what}; the columns are {', '.join(_COLUMNS)}")
        for row in reader:
            cells = {name: (row.get(name) or "").strip() for name in _COLUMNS}
            yield cells[_PATH], _label(cells, f"{source}:{reader.line_num}")
    except csv.Error as error:
        raise InputError(f"{source}:{reader.line_num}: is no CSV ({error})") from None


def _label(cells: Mapping[str, str], place: str) -> Label:
    def state(column: str) -> bool | None:
        word = cells[column].lower()
        if word not in _WORDS:
            raise InputError(f"{place}: {column} is {cells[column]!r}; write true, false, or nothing if unknown")
        return _WORDS[word]

    step = cells[_STEP]
    if step and not (step.isascii() and step.isdecimal()):
        raise InputError(f"{place}: {_STEP} is {step!r}; write the number of a step, counted from 0, or nothing")
    if not cells[_PATH]:
        raise InputError(f"{place}: {_PATH} is empty; name the episode's folder")
    judgment = Judgment(
        reasoning=cells[_REASON],
        success=state(_SUCCESS),
        safety=state(_SAFETY),
        violation_step=int(step) if step else None,
    )
    return Label(cells[_REVIEWER] or "csv", judgment)
