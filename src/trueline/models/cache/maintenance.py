"""Statistics and removal of cached answers, for `trueline cache`."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from trueline.models.cache.file import CacheDamagedError, CacheFile
from trueline.models.types import Purpose


@dataclass(frozen=True)
class Share:
    """What one model has in the cache for one purpose."""

    purpose: str
    model: str
    answers: int
    bytes: int
    cost: float
    """What the answers of known price cost when they were asked for, in US dollars."""
    unpriced: int
    """How many answers have no known price."""
    oldest: float
    """Unix time."""
    newest: float


@dataclass(frozen=True)
class Stats:
    """What is in the cache."""

    path: Path
    file_bytes: int
    answers: int
    shares: tuple[Share, ...]


@dataclass(frozen=True)
class Cleared:
    """The result of clearing the cache."""

    removed: int
    moved_to: Path | None = None
    """Where a damaged file was moved."""


def read_stats(path: Path) -> Stats:
    """Count the cached answers; a missing file is an empty cache and is not created."""
    if not path.exists():
        return Stats(path, 0, 0, ())
    with closing(CacheFile(path)) as file, file.connected() as db:
        rows = db.execute(
            "SELECT purpose, model, count(*), sum(length(answer)), total(cost), sum(cost IS NULL), min(made), max(made)"
            " FROM answers GROUP BY purpose, model ORDER BY purpose, model"
        )
        shares = tuple(Share(*row) for row in rows)
    return Stats(path, path.stat().st_size, sum(share.answers for share in shares), shares)


def clear_cache(path: Path, *, older_than_s: float | None = None, purposes: Sequence[Purpose] = ()) -> Cleared:
    """Remove all answers, or those of some age and purpose. A damaged file is moved aside unchanged."""
    if not path.exists():
        return Cleared(0)
    try:
        with closing(CacheFile(path)) as file, file.connected() as db:
            # Deleted answers are overwritten, not only forgotten.
            db.execute("PRAGMA secure_delete = ON")
            removed = db.execute(
                "DELETE FROM answers WHERE (?1 IS NULL OR made < ?1)"
                " AND (?2 = '[]' OR purpose IN (SELECT value FROM json_each(?2)))",
                (None if older_than_s is None else time.time() - older_than_s, json.dumps(purposes)),
            ).rowcount
            # While others are at work the space cannot be given back to the disk; the next call may do it.
            with suppress(sqlite3.OperationalError):
                db.execute("VACUUM")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except CacheDamagedError:
        return Cleared(0, _move_aside(path))
    return Cleared(removed)


def _move_aside(path: Path) -> Path:
    """Put the file and its write-ahead log next to where they were; nothing is thrown away."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
    return target
