"""All judgments in folders of results, episode by episode."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError
from trueline.judge.category import Kinds, category_of
from trueline.judge.files import find_judgments
from trueline.records.episode import TaskKind
from trueline.records.folder.values import as_list, as_object, load_file
from trueline.records.judgment import JudgedBy, Judgment
from trueline.records.layout import Unit, parse_location
from trueline.records.problem import Problem
from trueline.records.scan import Condition, Trial, scan


@dataclass(frozen=True)
class JudgedEpisode:
    """One episode with its judgments."""

    folder: Path
    name: str
    """The folder, relative to the root that the user named."""
    condition: Condition
    unit: Unit
    run: int | None
    category: TaskKind
    judgments: Mapping[JudgedBy, Judgment]
    problems: tuple[Problem, ...]
    """Problems in the files of judgments."""


def find_episodes(root: Path) -> list[tuple[Trial, str]]:
    """Find the episodes below a folder; returns each with its path relative to what the user named.

    Raises:
        InputError: There is no such folder, or no episode below it.
    """
    start = os.path.realpath(root)
    found = [(trial, str(root / os.path.relpath(trial.folder, start))) for trial in scan(root)]
    if not found:
        raise InputError(f"{root}: no episode below it; name a folder of results or an episode's own")
    return found


def read_judged_episodes(roots: Sequence[Path], indexed: Kinds | None = None) -> list[JudgedEpisode]:
    """Read the judgments below folders; an episode below several of them counts once.

    Raises:
        InputError: A folder is missing or holds no episode.
    """
    episodes: dict[str, JudgedEpisode] = {}
    for root in roots:
        for trial, name in find_episodes(root):
            folder = Path(trial.folder)
            location = parse_location(folder)
            judgments, problems = find_judgments(folder)
            episodes[trial.folder] = JudgedEpisode(
                folder=folder,
                name=name,
                condition=trial.condition,
                unit=trial.unit,
                run=location.run if location else None,
                category=category_of(trial.unit, trial.kind, indexed),
                judgments=judgments,
                problems=problems,
            )
    return list(episodes.values())


def why_not_judged(episode: JudgedEpisode, by: JudgedBy) -> str:
    """Why an episode has no judgment by this judge."""
    folder = episode.folder.joinpath("judgment", *by)
    value = load_file(folder, "judgment.meta.json")
    errors = [] if value is None or isinstance(value, Problem) else as_list(as_object(value).get("errors"))
    if errors:
        return str(errors[0])
    return "the judgment cannot be read" if (folder / "judgment.json").exists() else "not judged"
