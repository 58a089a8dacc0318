"""The SQLite file that holds the answers. Many processes may have it open; a `CacheFile` belongs to one thread."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.models.canonical import canonical_json
from trueline.models.types import Answer, ModelId, Purpose

APPLICATION_ID = 0x54724C6E
"""Marks an SQLite file as ours ("TrLn")."""
FORMAT = 1
BUSY_S = 30.0
"""How long to wait for another process that is writing."""

_SCHEMA = """
CREATE TABLE answers (
    key BLOB PRIMARY KEY NOT NULL, made REAL NOT NULL, purpose TEXT NOT NULL, model TEXT NOT NULL, cost REAL,
    digest BLOB NOT NULL, answer TEXT NOT NULL
)
"""
_ELSEWHERE = "set TRUELINE_CACHE_DIR to another folder"


class CacheError(InputError):
    """The cache cannot be used."""


class CacheDamagedError(CacheError):
    """The content of the file is not what was written."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: the cache is damaged ({problem}); 'trueline cache clear' makes a new one")


class CacheFile:
    """Answers by key. The file is made and opened at the first use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None

    def get(self, key: bytes) -> Answer | None:
        """Return the answer kept under this key."""
        with self.connected() as db:
            row = db.execute("SELECT digest, answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        digest, text = row
        # SQLite does not notice a changed byte in a page, so each row carries its own check.
        if not isinstance(text, str) or _digest(key, text) != digest:
            raise CacheDamagedError(self.path, "an answer differs from what was written")
        try:
            return Answer.model_validate(json.loads(text))
        except (ValueError, ValidationError):
            raise CacheDamagedError(self.path, "an answer cannot be read") from None

    def put(self, key: bytes, answer: Answer, *, model: ModelId, purpose: Purpose) -> None:
        """Keep an answer. An existing one is not replaced, so that all callers get the same."""
        text = canonical_json(answer.model_dump(mode="json", exclude_defaults=True))
        row = (key, time.time(), purpose, str(model), answer.usage.cost, _digest(key, text), text)
        with self.connected() as db:
            db.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    @contextmanager
    def connected(self) -> Generator[sqlite3.Connection]:
        """Yield the connection, in autocommit mode; SQLite's errors become `CacheError`s."""
        try:
            if self._db is None:
                self._db = _open(self.path)
            yield self._db
        except sqlite3.OperationalError as e:
            raise CacheError(f"{self.path}: the cache cannot be used: {e}; {_ELSEWHERE}") from None
        except sqlite3.DatabaseError as e:
            raise CacheDamagedError(self.path, str(e)) from None

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _digest(key: bytes, text: str) -> bytes:
    return hashlib.sha256(key + text.encode("ascii", "replace")).digest()


def _open(path: Path) -> sqlite3.Connection:
    _make(path)
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        if _marks(db) == (0, 0):
            _initialize(db)
        mark, version = _marks(db)
        if mark != APPLICATION_ID:
            raise CacheError(f"{path}: this file is not a cache of Trueline; move it away, or {_ELSEWHERE}")
        if version != FORMAT:
            raise CacheError(f"{path}: made by another version (format {version}, not {FORMAT}); {_ELSEWHERE}")
        # With a write-ahead log, readers and the writer do not wait for each other. Switching to it needs the file
        # alone; while others have it open, the older and slower way is as safe.
        with suppress(sqlite3.OperationalError):
            db.execute("PRAGMA journal_mode = WAL")
        # A crash of the machine may lose the newest answers, never the file.
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def _make(path: Path) -> None:
    """Make folder and file so that only their owner can read them: answers may tell what was on a screen."""
    try:
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.parent.mkdir(mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as e:
        raise CacheError(f"{path}: the cache cannot be used: {e.strerror}; {_ELSEWHERE}") from None


def _initialize(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first, and an SQLite file of somebody else must stay as it is.
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            db.execute(_SCHEMA)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {FORMAT}")
    finally:
        db.execute("COMMIT")


def _marks(db: sqlite3.Connection) -> tuple[int, int]:
    mark: int = db.execute("PRAGMA application_id").fetchone()[0]
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return mark, version
