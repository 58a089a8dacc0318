"""The child process of an OSWorld-style agent, as the parent sees it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import deque
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.agents.types import AgentError
from trueline.errors import InputError
from trueline.models import ModelError
from trueline.models.types import Json
from trueline.text import printable

_PROGRAM = Path(__file__).with_name("agent_program.py")
_LONGEST_LINE = 64 << 20
_TAIL = 20
_CLIENTS = ("openai", "anthropic", "httpx", "httpx2", "requests", "urllib3", "aiohttp", "groq", "dashscope", "botocore")
"""Packages whose errors count as errors of the model, not of the agent."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ok: Json | None = None
    error: str = ""
    kinds: tuple[str, ...] = ()


class AgentProcess:
    """One child process. Calls are made one after the other."""

    def __init__(self, process: asyncio.subprocess.Process, target: str) -> None:
        self._process = process
        self._target = target
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._listener = asyncio.create_task(self._listen())

    @staticmethod
    async def start(python: str, target: str) -> AgentProcess:
        """Start the child in a process group of its own."""
        try:
            process = await asyncio.create_subprocess_exec(
                python,
                str(_PROGRAM),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"{python}: cannot start this Python interpreter ({error.strerror})") from None
        return AgentProcess(process, target)

    async def call(self, step: str, message: Json, time_limit: float) -> Json:
        """Ask the child for one step.

        Raises:
            ModelError: The agent failed with an error of a model's client.
            AgentError: It failed otherwise, ended, or took too long; it is stopped then.
        """
        try:
            async with asyncio.timeout(time_limit):
                reply = await self._exchange({"step": step, **message})
        except TimeoutError:
            await self.close()
            raise AgentError(f"{self._target}: {step} took longer than {time_limit:g} s") from None
        except BaseException:
            # An answer that nobody waits for any more would be taken for that of the next call.
            await self.close()
            raise
        if reply.ok is not None:
            return reply.ok
        words = printable(f"{self._target}: {step} failed: {_name(reply.kinds)}: {reply.error}", limit=600)
        raise ModelError(words) if _is_clients(reply.kinds) else AgentError(words)

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

    async def _exchange(self, message: Json) -> _Answer:
        assert self._process.stdin is not None and self._process.stdout is not None, "both are pipes"
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
            line = await self._process.stdout.readline()
        except (ConnectionError, ValueError) as error:
            raise AgentError(f"{self._target}: lost contact with its process: {error}") from None
        if not line.endswith(b"\n"):
            await self._process.wait()
            await self._listener
            said = printable(self._tail[-1]) if self._tail else "it said nothing"
            raise AgentError(f"{self._target}: its process exited with code {self._process.returncode}: {said}")
        try:
            return _Answer.model_validate(json.loads(line))
        except (ValueError, ValidationError):
            raise AgentError(f"{self._target}: its process sent an invalid message") from None

    async def _listen(self) -> None:
        """Keep the last lines that the agent prints, so that it never blocks on a full pipe."""
        assert self._process.stderr is not None, "it is a pipe"
        while piece := await self._process.stderr.read(1 << 16):
            self._tail.extend(line for line in piece.decode("utf-8", "replace").splitlines() if line.strip())


def _name(kinds: tuple[str, ...]) -> str:
    return kinds[0].removeprefix("builtins.") if kinds else "error"


def _is_clients(kinds: tuple[str, ...]) -> bool:
    return any(kind.partition(".")[0] in _CLIENTS for kind in kinds)


def text_of(value: JsonValue) -> str:
    """Return an agent's response as text; some agents wrap it."""
    if isinstance(value, dict) and isinstance(value.get("response"), str):
        value = value["response"]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
