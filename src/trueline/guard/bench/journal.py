"""The progress of a bench: a file of lines beside the result file that only grows, so that a crash loses nothing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from trueline.errors import InputError
from trueline.guard.bench.cases import StepKey
from trueline.records.base import Record
from trueline.records.folder.files import LineFile, sync_folder
from trueline.records.interchange.misactbench import Evaluation, NarrativeSummary

try:
    import fcntl
except ImportError:  # Windows: nobody keeps two benches from the same file
    fcntl = None


class NarratedStep(Record):
    """The narrative of a step, or why there is none."""

    event: Literal["narrative"] = "narrative"
    key: StepKey
    summary: NarrativeSummary | None = None
    error: str | None = None


class Evaluated(Record):
    """The guard's verdict on a step."""

    event: Literal["evaluation"] = "evaluation"
    key: StepKey
    evaluation: Evaluation


Entry = Annotated[NarratedStep | Evaluated, Field(discriminator="event")]
_ENTRY: TypeAdapter[NarratedStep | Evaluated] = TypeAdapter(Entry)


def journal_path(result_file: Path) -> Path:
    """The path of the journal of a result file."""
    return result_file.with_name(f"{result_file.name}.progress.jsonl")


def read_journal(path: Path) -> tuple[list[NarratedStep | Evaluated], int]:
    """Read the journal of an earlier run, and count its damaged lines; their steps are done again.

    Raises:
        InputError: The file is there but cannot be read.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    found: list[NarratedStep | Evaluated] = []
    damaged = 0
    for line in filter(None, lines):
        try:
            found.append(_ENTRY.validate_python(json.loads(line)))
        except (ValueError, RecursionError, ValidationError):
            damaged += 1
    return found, damaged


class BenchJournal:
    """Accepts entries at once and writes them in the background, in batches while the disk is busy."""

    def __init__(self, path: Path) -> None:
        """Open the file and lock it.

        Raises:
            InputError: Another process writes it, or it cannot be written.
        """
        self.path = path
        self._waiting: list[bytes] = []
        self._task: asyncio.Task[None] | None = None
        try:
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from error
        if fcntl is not None:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self._lock)
                raise InputError(f"{path}: another guard bench is writing it; name another --result_file") from None
        self._file = LineFile(path)
        if _is_torn(path):
            self._file.append(b"\n")
        sync_folder(path.parent)

    def add(self, entry: NarratedStep | Evaluated) -> None:
        """Queue an entry to be written; `flush` waits until it is."""
        data = _ENTRY.dump_python(entry, mode="json", exclude_defaults=False)
        # ASCII: escapes can hold the broken Unicode that models send.
        self._waiting.append(json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n")
        if self._task is None or self._task.done():
            self.check()
            self._task = asyncio.create_task(self._write())

    def check(self) -> None:
        """Raise the error of the background writer, if any."""
        if self._task is not None and self._task.done() and not self._task.cancelled():
            self._task.result()

    async def flush(self) -> None:
        """Wait until all entries are on disk."""
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)
        self.check()
        if self._waiting:
            await self._write()

    def close(self) -> None:
        """Close and unlock the file."""
        self._file.close()
        os.close(self._lock)

    def remove(self) -> None:
        """Delete the file once the result file has all of its entries."""
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)

    async def _write(self) -> None:
        while self._waiting:
            lines, self._waiting = self._waiting, []
            await asyncio.to_thread(self._append, lines)

    def _append(self, lines: Iterable[bytes]) -> None:
        self._file.append(b"".join(lines))


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
