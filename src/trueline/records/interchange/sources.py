"""The episodes below the folders a user names, and where each belongs in what is made of them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError
from trueline.records.interchange.paths import folder_name
from trueline.records.layout import parse_location
from trueline.records.observation import StoredFile
from trueline.records.scan import scan
from trueline.records.step import Step

_LEVELS = 5
_OBSERVATION_TYPES = frozenset({"screenshot", "a11y_tree", "screenshot_a11y_tree", "som"})
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "trueline:episode")


@dataclass(frozen=True, slots=True)
class Source:
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


def where(source: Source) -> str:
    """How reports name an episode."""
    return str(source.folder)


def find_sources(roots: Sequence[Path]) -> list[Source]:
    """Find the episodes at and below folders, each once, in the order of the folders and then of their paths.

    Where two folders hold the same paths, those of the later one are put below its name.

    Raises:
        InputError: A folder is missing or holds no episode.
    """
    found: dict[Path, Source] = {}
    taken: set[Path] = set()
    for root in roots:
        real = Path(os.path.realpath(root))
        folders = [Path(trial.folder) for trial in scan(root)]
        if not folders:
            raise InputError(f"{root}: holds no episode; name a folder of results")
        below = {folder: _below(real, folder) for folder in folders if folder not in found}
        prefix, number = Path(), 1
        while not taken.isdisjoint(prefix / path for path in below.values()):
            name = folder_name(real.name)
            prefix, number = Path(name if number == 1 else f"{name}-{number}"), number + 1
        found |= {folder: Source(folder, prefix / path) for folder, path in below.items()}
        taken.update(prefix / path for path in below.values())
    return list(found.values())


def _below(root: Path, folder: Path) -> Path:
    inside = folder.relative_to(root)
    if len(inside.parts) >= _LEVELS:
        return inside
    location = parse_location(folder)
    if location is None or location.observation_type not in _OBSERVATION_TYPES:
        return inside if inside.parts else Path(folder.name)
    return Path(*folder.parts[-_LEVELS - (location.run is not None) :])


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
