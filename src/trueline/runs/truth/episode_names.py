"""The names under which a truth result knows recorded episodes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trueline.errors import InputError
from trueline.records.scan import scan


def name_episodes(roots: Sequence[Path]) -> dict[str, Path]:
    """Find the episodes below folders of results, by name.

    With one folder, a name is the path below it; with several, it begins with the folder as it was given.

    Raises:
        InputError: There is no episode.
    """
    folders: dict[str, Path] = {}
    for root in roots:
        start = os.path.realpath(root)
        for trial in scan(root):
            folder = Path(trial.folder)
            below = folder.relative_to(start)
            folders[str(below if len(roots) == 1 else root / below)] = folder
    if not folders:
        raise InputError(f"{roots[0]}: holds no episode; name a folder of results")
    return folders
