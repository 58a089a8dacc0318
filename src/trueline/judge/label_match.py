"""Which episode a label is about, by its path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trueline.judge.judged_episodes import JudgedEpisode
from trueline.records.layout import Location, parse_location

_LEVELS = 5
"""Of a path that names the setting, the model and the task."""


class LabelMatcher:
    """Finds the episode that a label is about."""

    def __init__(self, episodes: Sequence[JudgedEpisode], root: Path) -> None:
        """Take the episodes, and the folder they were looked for in."""
        self._root = root
        self._folders = {episode.folder for episode in episodes}
        self._by_place: dict[Location, list[Path]] = {}
        self._by_end: dict[tuple[str, ...], list[Path]] = {}
        for folder in sorted(self._folders):
            place = parse_location(folder)
            if place is not None:
                self._by_place.setdefault(place, []).append(folder)
            for levels in range(2, _LEVELS):
                self._by_end.setdefault(folder.parts[-levels:], []).append(folder)

    def find(self, path: Path, base: Path) -> Path | None:
        """The episode's folder, or `None`.

        Args:
            path: Of the label's episode, below `base` or absolute.
            base: The folder that labels are looked for in.

        It is the folder itself; else the one at the same place below the root; else the only one at the same place of
        the layout. A path too short to name model and setting means the only episode whose path ends like it.
        """
        folder = Path(os.path.realpath(base / path))
        if folder in self._folders:
            return folder
        place = parse_location(folder)
        beside = Path(os.path.realpath(self._root / path))
        if beside in self._folders and not _apart(place, beside):
            return beside
        if len(path.parts) >= _LEVELS:
            found = self._by_place.get(place, []) if place else []
        else:
            found = [item for item in self._by_end.get(path.parts, []) if not _apart(place, item)]
        return found[0] if len(found) == 1 else None


def _apart(place: Location | None, episode: Path) -> bool:
    """Whether the label's whole path names another model's run, or another repeat, than the episode's."""
    other = parse_location(episode)
    if place is None or other is None or place[:2] != other[:2]:
        return False
    runs = {place.run, other.run} - {None}
    return (place.model, place.jailbreak) != (other.model, other.jailbreak) or len(runs) > 1
