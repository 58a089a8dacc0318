"""A model that writes down what it is asked and what it answers."""

from __future__ import annotations

import os
from pathlib import Path

from trueline.models.errors import ModelError
from trueline.models.recordings.entry import Entry, RecordingError
from trueline.models.types import Answer, Model, ModelId, Request


class RecordingModel:
    """Passes requests on and appends each, with its answer or error, to a file.

    Several models and processes may write the same file: each entry is one line, written at once.
    """

    def __init__(self, inner: Model, path: Path) -> None:
        """Open the file, before anything is asked.

        Raises:
            RecordingError: The file cannot be written.
        """
        self._inner = inner
        self._path = path
        try:
            # Answers may tell what was on a screen: the file is for its owner.
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            _cut_torn_line(self._file)
        except OSError as e:
            raise RecordingError(f"{path}: cannot record here: {e.strerror}") from None

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._inner.id

    async def ask(self, request: Request) -> Answer:
        """Answer like the inner model, and write it down."""
        try:
            answer = await self._inner.ask(request)
        except ModelError as e:
            self._append(Entry.of(self.id, request, e))
            raise
        self._append(Entry.of(self.id, request, answer))
        return answer

    async def close(self) -> None:
        """Close the inner model and the file."""
        await self._inner.close()
        os.close(self._file)

    def _append(self, entry: Entry) -> None:
        try:
            line = entry.line()
            written = os.write(self._file, line)
        except ValueError as e:
            raise RecordingError(f"{self._path}: an answer cannot be recorded: {e}") from None
        except OSError as e:
            raise RecordingError(f"{self._path}: cannot record: {e.strerror}") from None
        if written != len(line):
            raise RecordingError(f"{self._path}: cannot record: the disk is full")


def _cut_torn_line(file: int) -> None:
    """Cut off a last line without its end: a recorder was killed while it wrote it."""
    size = os.fstat(file).st_size
    end, block = size, 1 << 16
    while end > 0:
        start = max(0, end - block)
        newline = os.pread(file, end - start, start).rfind(b"\n")
        if newline >= 0:
            break
        end = start
    else:
        start, newline = 0, -1
    if size > (whole := start + newline + 1):
        os.ftruncate(file, whole)
