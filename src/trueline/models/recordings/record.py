"""A model that records its requests and answers."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path

from trueline.models.envfiles import load_env
from trueline.models.errors import ModelError
from trueline.models.keys import Redactor
from trueline.models.recordings.entry import RecordingEntry, RecordingError
from trueline.models.types import Answer, Model, ModelId, Request

_BLOCK = 1 << 16


class RecordingModel:
    """Passes requests on and appends each, with its answer or error, to a file.

    Several models and processes may write the same file: each entry is one line, written at once.
    """

    def __init__(self, inner: Model, path: Path, redactor: Redactor | None = None) -> None:
        """Open the file, before anything is asked.

        Args:
            inner: The model that answers.
            path: The file to append to.
            redactor: Removes keys; by default the keys that are set for any provider.

        Raises:
            RecordingError: The file cannot be written.
        """
        self._inner = inner
        self._path = path
        self._redactor = redactor or Redactor.from_env(load_env())
        try:
            self._file = FileIO(path, "a+", opener=_for_its_owner)
            _cut_torn_line(self._file)
        except OSError as e:
            raise RecordingError(f"{path}: cannot record here: {e.strerror}") from None

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._inner.id

    async def ask(self, request: Request) -> Answer:
        """Ask the inner model and record the outcome."""
        try:
            answer = await self._inner.ask(request)
        except ModelError as e:
            self._append(RecordingEntry.from_outcome(self.id, request, e))
            raise
        self._append(RecordingEntry.from_outcome(self.id, request, answer))
        return answer

    async def close(self) -> None:
        """Close the inner model and the file."""
        await self._inner.close()
        self._file.close()

    def _append(self, entry: RecordingEntry) -> None:
        try:
            line = entry.line(self._redactor)
            written = self._file.write(line)
        except ValueError as e:
            raise RecordingError(f"{self._path}: an answer cannot be recorded: {e}") from None
        except OSError as e:
            raise RecordingError(f"{self._path}: cannot record: {e.strerror}") from None
        if written != len(line):
            raise RecordingError(f"{self._path}: cannot record: the disk is full")


def _for_its_owner(path: str, flags: int) -> int:
    """Open the file so that others cannot read it: answers may tell what was on a screen."""
    return os.open(path, flags, 0o600)


def _cut_torn_line(file: FileIO) -> None:
    """Cut off a last line without its end: a recorder was killed while it wrote it."""
    end = size = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)
