"""The location of the cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FILE_NAME = "answers.sqlite"


def cache_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the file: in $TRUELINE_CACHE_DIR, else in `trueline` below $XDG_CACHE_HOME, else below ~/.cache."""
    own = environ.get("TRUELINE_CACHE_DIR")
    if own:
        return Path(own).expanduser() / FILE_NAME
    # The XDG specification says that a relative path here is to be ignored.
    shared = Path(environ.get("XDG_CACHE_HOME", ""))
    base = shared if shared.is_absolute() else Path("~/.cache").expanduser()
    return base / "trueline" / FILE_NAME
