"""A child process that answers each line of JSON with one line of JSON.

For programs that need an interpreter of their own, because their packages clash with ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import JsonValue

from trueline.errors import InputError, TruelineError
from trueline.text import printable

_LONGEST_LINE = 64 << 20
_TAIL = 20


class ChildFailedError(TruelineError):
    """The child ended, took too long, or sent something that is not an answer; it is stopped then."""


class LineProcess:
    """One child process. Calls are made one after the other."""

    def __init__(self, process: asyncio.subprocess.Process, name: str) -> None:
        self._process = process
        self._name = name
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._listener = asyncio.create_task(self._listen())

    @staticmethod
    async def start(python: str, program: Path, name: str, *, env: Mapping[str, str] | None = None) -> LineProcess:
        """Start the child in a process group of its own.

        Args:
            python: The interpreter that has its packages.
            program: What it runs, by path.
            name: What errors call it.
            env: Its environment; by default ours.

        Raises:
            InputError: There is no such interpreter.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                python,
                str(program),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,
                env=env,
            )
        except OSError as error:
            raise InputError(f"{python}: cannot start this Python interpreter ({error.strerror})") from None
        return LineProcess(process, name)

    async def call(self, message: Mapping[str, JsonValue], time_limit: float) -> JsonValue:
        """Ask the child for one answer.

        Raises:
            ChildFailedError: It gave none.
        """
        try:
            async with asyncio.timeout(time_limit):
                return await self._exchange(message)
        except TimeoutError:
            await self.close()
            step = message.get("step", "an answer")
            raise ChildFailedError(f"{self._name}: {step} took longer than {time_limit:g} s") from None
        except BaseException:
            # An answer that nobody waits for any more would be taken for that of the next call.
            await self.close()
            raise

    async def close(self) -> None:
        """Kill the child and all processes that it started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await self._listener

    @property
    def ended(self) -> bool:
        """Whether the child has exited."""
        return self._process.returncode is not None

    async def _exchange(self, message: Mapping[str, JsonValue]) -> JsonValue:
        assert self._process.stdin is not None and self._process.stdout is not None, "both are pipes"
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
            line = await self._process.stdout.readline()
        except (ConnectionError, ValueError) as error:
            raise ChildFailedError(f"{self._name}: lost contact with its process: {error}") from None
        if not line.endswith(b"\n"):
            await self._process.wait()
            await self._listener
            said = printable(self._tail[-1]) if self._tail else "it said nothing"
            raise ChildFailedError(f"{self._name}: its process exited with code {self._process.returncode}: {said}")
        try:
            found: JsonValue = json.loads(line)
        except (ValueError, RecursionError):
            raise ChildFailedError(f"{self._name}: its process sent an invalid message") from None
        return found

    async def _listen(self) -> None:
        """Keep the last lines that the child prints, so that it never blocks on a full pipe."""
        assert self._process.stderr is not None, "it is a pipe"
        while piece := await self._process.stderr.read(1 << 16):
            self._tail.extend(line for line in piece.decode("utf-8", "replace").splitlines() if line.strip())
