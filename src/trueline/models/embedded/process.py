"""The child process that serves the embedded model: started when needed, ended with us."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from pydantic import BaseModel, ValidationError

from trueline.models.embedded.server import ServerOptions
from trueline.models.errors import ModelError
from trueline.text import printable

START_S = 60.0
"""How long the model may take to load."""
CONTEXT = 8192
"""Tokens of question and answer together: all that the model knows how to use."""
MAX_TOKENS = 1024
"""Token limit of an answer if the request sets none: so small a model may never stop by itself."""

_PROGRAM = Path(__file__).with_name("server.py")


class EmbeddedError(ModelError):
    """The embedded model could not be started."""


class _Ready(BaseModel):
    url: str


class ServerProcess:
    """A running server on a loopback port, which only the holder of `key` can use."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, key: str) -> None:
        self._process = process
        self.url = url
        self.key = key

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    @classmethod
    async def start(cls, model: str, file: Path) -> Self:
        """Start a server and wait until it is ready.

        Raises:
            EmbeddedError: It ended instead, or was not ready in time.
        """
        order: ServerOptions = {
            "model": model,
            "file": str(file),
            "key": secrets.token_urlsafe(32),
            "threads": threads(),
            "context": CONTEXT,
            "max_tokens": MAX_TOKENS,
        }
        with tempfile.TemporaryFile() as errors:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                str(_PROGRAM),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                # Ctrl-C is for the parent, which then ends the server in order.
                start_new_session=True,
            )
            try:
                url = await _first_word(process, order)
            except BaseException as e:
                await _end(process)
                if isinstance(e, TimeoutError):
                    raise EmbeddedError(f"{model} was not ready within {START_S:g} s") from None
                if isinstance(e, ValidationError | OSError):
                    raise EmbeddedError(f"{model} did not start: {_last_line(errors)}") from None
                raise
        return cls(process, url, order["key"])

    async def stop(self) -> None:
        """End the process."""
        await _end(self._process)


def threads() -> int:
    """All cores but one: with all of them llama.cpp becomes many times slower as soon as anything else runs."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, cores - 1)


async def _first_word(process: asyncio.subprocess.Process, order: ServerOptions) -> str:
    assert process.stdin is not None and process.stdout is not None
    async with asyncio.timeout(START_S):
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
        return _Ready.model_validate_json(await process.stdout.readline()).url


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").split("\n")
    return printable(next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing"))
