"""Matching labels to episodes by path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trueline.judge.judged_episodes import JudgedEpisode
from trueline.records.layout import Location, parse_location

_LEVELS = 5
"""Levels of a path that names the setting, the model and the task."""


class LabelMatcher:
    """Matches labels to episodes."""

    def __init__(self, episodes: Sequence[JudgedEpisode], root: Path) -> None:
        """Take the episodes, and the folder that was searched for them."""
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
        """Return the folder of the episode that a label belongs to, or `None`.

        Args:
            path: Path of the labelled episode, relative to `base` or absolute.
            base: The folder that was searched for labels.

        In this order: the folder itself; the folder at the same place below the root; the only folder at the same place
        of the layout. A path too short to name model and setting matches the only episode whose path ends with it.
        """
        folder = Path(os.path.realpath(base / path))
        if folder in self._folders:
            return folder
        place = parse_location(folder)
        beside = Path(os.path.realpath(self._root / path))
        if beside in self._folders and not _is_elsewhere(place, beside):
            return beside
        if len(path.parts) >= _LEVELS:
            found = self._by_place.get(place, []) if place else []
        else:
            found = [item for item in self._by_end.get(path.parts, []) if not _is_elsewhere(place, item)]
        return found[0] if len(found) == 1 else None


def _is_elsewhere(place: Location | None, episode: Path) -> bool:
    """Whether the label's path names a different model or repeat than the episode."""
    other = parse_location(episode)
    if place is None or other is None or place[:2] != other[:2]:
        return False
    runs = {place.run, other.run} - {None}
    return (place.model, place.jailbreak) != (other.model, other.jailbreak) or len(runs) > 1
