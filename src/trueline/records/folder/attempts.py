"""Unfinished episodes are moved aside, never deleted."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path

from trueline.errors import InputError
from trueline.records.folder.files import make_folder, room_needed, sync_folder
from trueline.records.layout import ATTEMPTS


def move_aside(result_dir: Path, folder: Path) -> Path | None:
    """Move an episode's folder below `.attempts`, whole and under a name of its own; nothing is ever deleted.

    Returns:
        Where it is now; `None` when it was not there, for another process may have moved it first.

    Raises:
        InputError: The folder is not below the result folder.
    """
    try:
        below = folder.relative_to(result_dir)
    except ValueError:
        raise InputError(f"{folder}: is not below {result_dir}") from None
    if not below.parts or ".." in below.parts or below.parts[0] == ATTEMPTS:
        raise InputError(f"{folder}: is not an episode of {result_dir}")
    attempts = result_dir / ATTEMPTS / below
    with room_needed(attempts):
        make_folder(attempts, exist_ok=True)
        target = attempts / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{secrets.token_hex(4)}"
        try:
            folder.rename(target)
        except FileNotFoundError:
            return None
        sync_folder(attempts)
        sync_folder(folder.parent)
    return target


def attempts_of(result_dir: Path, folder: Path) -> tuple[Path, ...]:
    """The attempts at an episode that were moved aside, the oldest first."""
    attempts = result_dir / ATTEMPTS / folder.relative_to(result_dir)
    return tuple(sorted(attempts.iterdir())) if attempts.is_dir() else ()
