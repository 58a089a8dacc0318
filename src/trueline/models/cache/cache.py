"""The cache as the event loop sees it: one thread does all work on the file, so the loop never waits for a disk."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from trueline.models.cache.file import CacheFile
from trueline.models.types import Answer, ModelId, Purpose

T = TypeVar("T")


class Cache:
    """Answers by key, for any number of models, tasks, threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start()

    async def get(self, key: bytes) -> Answer | None:
        """Return the answer kept under this key.

        Raises:
            CacheError: The file cannot be used, or is damaged.
        """
        return await self._do(lambda file: file.get(key))

    async def put(self, key: bytes, answer: Answer, *, model: ModelId, purpose: Purpose) -> None:
        """Keep an answer.

        Raises:
            CacheError: The file cannot be used, or is damaged.
            ValueError: The answer cannot be written as JSON.
        """
        await self._do(lambda file: file.put(key, answer, model=model, purpose=purpose))

    async def close(self) -> None:
        """Close the file once all work on it is done; the next use opens it again."""
        await self._do(lambda file: file.close())
        self._thread.shutdown(wait=False)
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._file = CacheFile(self.path)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trueline-cache")

    async def _do(self, work: Callable[[CacheFile], T]) -> T:
        if self._pid != os.getpid():
            # A fork takes the object along but not its thread, and SQLite forbids to use, or even close,
            # a connection of the parent: it is kept but never touched.
            self._inherited = self._file
            self._start()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._file)
