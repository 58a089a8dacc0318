"""The child process of an OSWorld-style agent, as the parent sees it."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.agents.types import AgentError
from trueline.line_process import ChildFailedError, LineProcess
from trueline.models import ModelError
from trueline.models.types import Json
from trueline.text import printable

_PROGRAM = Path(__file__).with_name("agent_program.py")
_CLIENTS = ("openai", "anthropic", "httpx", "httpx2", "requests", "urllib3", "aiohttp", "groq", "dashscope", "botocore")
"""Packages whose errors count as errors of the model, not of the agent."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ok: Json | None = None
    error: str = ""
    kinds: tuple[str, ...] = ()


class AgentProcess:
    """One child process. Calls are made one after the other."""

    def __init__(self, process: LineProcess, target: str) -> None:
        self._process = process
        self._target = target

    @staticmethod
    async def start(python: str, target: str) -> AgentProcess:
        """Start the child in a process group of its own."""
        return AgentProcess(await LineProcess.start(python, _PROGRAM, target), target)

    async def call(self, step: str, message: Json, time_limit: float) -> Json:
        """Ask the child for one step.

        Raises:
            ModelError: The agent failed with an error of a model's client.
            AgentError: It failed otherwise, ended, or took too long; it is stopped then.
        """
        try:
            reply = _Answer.model_validate(await self._process.call({"step": step, **message}, time_limit))
        except ChildFailedError as error:
            raise AgentError(str(error)) from None
        except ValidationError:
            await self.close()
            raise AgentError(f"{self._target}: its process sent an invalid message") from None
        if reply.ok is not None:
            return reply.ok
        words = printable(f"{self._target}: {step} failed: {_name(reply.kinds)}: {reply.error}", limit=600)
        raise ModelError(words) if _is_clients(reply.kinds) else AgentError(words)

    async def close(self) -> None:
        """Kill the child and all processes that it started."""
        await self._process.close()

    @property
    def ended(self) -> bool:
        """Whether the child has exited."""
        return self._process.ended


def _name(kinds: tuple[str, ...]) -> str:
    return kinds[0].removeprefix("builtins.") if kinds else "error"


def _is_clients(kinds: tuple[str, ...]) -> bool:
    return any(kind.partition(".")[0] in _CLIENTS for kind in kinds)


def text_of(value: JsonValue) -> str:
    """Return an agent's response as text; some agents wrap it."""
    if isinstance(value, dict) and isinstance(value.get("response"), str):
        value = value["response"]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
