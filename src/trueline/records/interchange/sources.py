"""Finds the episodes below the given folders, and where each belongs in the output."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueline.actions.decoded import well_formed
from trueline.errors import InputError
from trueline.records.interchange.paths import folder_name
from trueline.records.interchange.transfer import Transfer, TransferredEpisode, transfer
from trueline.records.layout import OBSERVATION_TYPES, model_levels, parse_location, split_levels
from trueline.records.observation import StoredFile
from trueline.records.scan import scan
from trueline.records.step import Step

_LEVELS = 5
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "trueline:episode")


@dataclass(frozen=True, slots=True)
class EpisodeSource:
    """One episode's folder."""

    folder: Path
    below: Path
    """Its path in the layout of result folders; for a folder outside any such layout its name."""

    @property
    def placed(self) -> bool:
        """Whether the path says action space, observation type, model, domain and task."""
        return len(self.below.parts) >= _LEVELS

    @property
    def id(self) -> str:
        """A UUID that the path gives: the same on every machine and at every export."""
        return str(uuid.uuid5(_NAMESPACE, self.below.as_posix()))


def where(source: EpisodeSource) -> str:
    """How reports name an episode."""
    return str(source.folder)


def transfer_episodes(
    sources: Sequence[EpisodeSource], work: Callable[[EpisodeSource], TransferredEpisode]
) -> Transfer:
    """Work on one after the other; one whose path is not Unicode, which no file can hold, is left out."""

    def checked(source: EpisodeSource) -> TransferredEpisode:
        path = source.below.as_posix()
        if well_formed(path) != path:
            raise InputError("its path is not valid Unicode; rename the folder")
        return work(source)

    return transfer(sources, where, checked)


def find_sources(roots: Sequence[Path]) -> list[EpisodeSource]:
    """Find the episodes at and below folders, each once, in the order of the folders and then of their paths.

    Folders of one result folder (its runs, its models) are put together again as they lie there. Those of several
    result folders are kept apart: each is put below the name of its own.

    Raises:
        InputError: A folder is missing or holds no episode.
    """
    found: dict[Path, tuple[Path, Path]] = {}
    for root in roots:
        real = Path(os.path.realpath(root))
        folders = [Path(trial.folder) for trial in scan(root)]
        if not folders:
            raise InputError(f"{root}: holds no episode; name a folder of results")
        home = _home(folders[0], _below(real, folders[0]))
        found |= {folder: (home, _below(real, folder)) for folder in folders if folder not in found}
    prefixes = _prefixes(list(dict.fromkeys(home for home, _ in found.values())))
    return [EpisodeSource(folder, prefixes[home] / below) for folder, (home, below) in found.items()]


def _prefixes(homes: Sequence[Path]) -> dict[Path, Path]:
    """Where the episodes of each result folder go: nowhere special if it is the only one, else below its name."""
    if len(homes) < 2:
        return dict.fromkeys(homes, Path())
    prefixes: dict[Path, Path] = {}
    for home in homes:
        name, number = folder_name(home.name), 2
        prefix = Path(name)
        while prefix in prefixes.values():
            prefix, number = Path(f"{name}-{number}"), number + 1
        prefixes[home] = prefix
    return prefixes


def _home(folder: Path, below: Path) -> Path:
    """The result folder that an episode lies in."""
    return folder.parents[len(below.parts) - 2 + model_levels(folder.parts)]


def _below(root: Path, folder: Path) -> Path:
    inside = folder.relative_to(root)
    used = 4 + model_levels(folder.parts)
    if len(inside.parts) > used:
        return Path(*inside.parts[:-used], *split_levels(inside.parts))
    location = parse_location(folder)
    known = location is not None and location.observation_type in OBSERVATION_TYPES
    if location is None or not (known or len(inside.parts) == used):
        return inside if inside.parts else Path(folder.name)
    return Path(*folder.parts[-used - 1 : -used] if location.run is not None else (), *split_levels(folder.parts))


def stored_files(step: Step) -> Iterator[StoredFile]:
    """The files that a step refers to and that were stored, in the order in which they came to be."""
    observation = step.observation
    for stored in (
        observation and observation.screenshot,
        observation and observation.tree,
        *(result.screenshot for result in step.results),
    ):
        if stored is not None and stored.file is not None:
            yield stored
