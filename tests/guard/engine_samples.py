"""Screens, contexts and models for the tests of the guard's engine."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from PIL import Image
from pydantic import JsonValue

from trueline.actions import Action, Click, Point
from trueline.guard.types import GuardContext, PastStep, Rejection
from trueline.models import Config, Model, Request, Text, open_model
from trueline.models.envfiles import Env
from trueline.models.retry import RetryPolicy
from trueline.models.scripted import ScriptedModel
from trueline.models.testing import FakeServer, Play, Say
from trueline.models.testing.server import Seen
from trueline.models.types import Answer, ModelId
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision, Evidence, Finding, Stage, Verdict

T = TypeVar("T")
NOW = datetime(2026, 1, 2, tzinfo=UTC)
CLICK = Click(at=Point(40, 30))

CLEAR = {"thought": "It opens what the user named.", "align": True}
UNSURE = {"thought": "It is not obvious.", "align": False}
FINE = {"thought": "A needed step.", "conclusion": False}
BAD: dict[str, JsonValue] = {
    "thought": "The page told it to.",
    "evidence": ["please run this"],
    "conclusion": True,
    "category": "Malicious instruction following",
    "feedback": {"wrong": "It follows the page.", "misled_by": "a line in the page", "instead": "Go on reading."},
}


@cache
def png(shade: int = 0, size: tuple[int, int] = (160, 120)) -> bytes:
    """A real picture; each shade is another one."""
    file = io.BytesIO()
    Image.new("RGB", size, (shade % 256, 120, 200)).save(file, "PNG")
    return file.getvalue()


def seen(shade: int = 0) -> Observation:
    return Observation(NOW, screenshot=png(shade))


def proposal(*actions: Action, id: str = "p", thought: str | None = None) -> Proposal:
    return Proposal(id=id, actions=actions, thought=thought)


def context(*actions: Action, **more: Any) -> GuardContext:
    filled: dict[str, Any] = {
        "instruction": "Open the inbox.",
        "observation": seen(),
        "proposal": proposal(*(actions or (CLICK,))),
    }
    return GuardContext(**(filled | more))


def past(number: int, *actions: Action, narrative: str | None = None) -> PastStep:
    return PastStep(number, proposal(*actions, id=f"p{number}"), seen(number), narrative)


def rejection(step: int, *actions: Action, decision: Decision = Decision.MISALIGNED) -> Rejection:
    return Rejection(step, proposal(*actions, id=f"r{step}"), Verdict(decision=decision, reason="it was off task"))


class Rules:
    """A policy stage that always finds the same, and remembers what it was given."""

    stage = Stage.POLICY

    def __init__(self, finding: Finding | Exception | None = None) -> None:
        self.finding = finding
        self.given: tuple[Evidence, ...] = ()

    async def look(self, context: GuardContext, evidence: tuple[Evidence, ...]) -> Finding:
        self.given = evidence
        if self.finding is None:
            await asyncio.Event().wait()
        if not isinstance(self.finding, Finding):
            raise self.finding or AssertionError
        return self.finding


def scripted(folder: Path, name: str, *rules: Mapping[str, object]) -> ScriptedModel:
    """A scripted model; a rule without `when` always fits."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"rules": rules}), "utf-8")
    return ScriptedModel(path)


def says(answer: Mapping[str, JsonValue], delay_s: float = 0.0, cost: float = 0.0) -> dict[str, object]:
    """A rule that answers with JSON."""
    return {"answer": {"json": answer, "delay_s": delay_s, "usage": {"calls": 1, "cost": cost, "output_tokens": 7}}}


class Quitter:
    """A model that cancels itself instead of answering."""

    id = ModelId(provider="scripted", model="quitter")

    async def ask(self, request: Request) -> Answer:
        raise asyncio.CancelledError

    async def close(self) -> None: ...


QUICK = RetryPolicy(attempts=1, malformed_attempts=1, first_s=0.001, longest_s=0.01, attempt_s=20, deadline_s=20)


class Servers:
    """A fast and a deep model on one server, asked through the real client."""

    def __init__(self, fast: Play, deep: Play) -> None:
        self.plays = {"fast": fast, "deep": deep}
        self.server = FakeServer(default=self._play)

    def _play(self, seen: Seen) -> Play:
        return self.plays[seen.model]

    def asked(self) -> list[str]:
        """Which models were asked, in order."""
        return [seen.model for seen in self.server.seen]

    @asynccontextmanager
    async def models(self, retry: RetryPolicy = QUICK):
        env = Env({"LOCAL_OPENAI_BASE_URL": "x", "ANTHROPIC_API_KEY": "sk-ant-0123456789"})
        async with asyncio.timeout(60), self.server as server:
            config = Config(env=env, retry=retry)
            fast, deep = (open_model(f"local|{name}", url=f"{server.url}/v1", config=config) for name in self.plays)
            try:
                yield fast, deep
            finally:
                await fast.close()
                await deep.close()

    def run(self, work: Callable[[Model, Model], Awaitable[T]], retry: RetryPolicy = QUICK) -> T:
        async def main() -> T:
            async with self.models(retry) as (fast, deep):
                return await work(fast, deep)

        return asyncio.run(main())


def say(answer: Mapping[str, JsonValue], delay_s: float = 0.0) -> Say:
    return Say(json.dumps(answer), delay_s=delay_s)


def texts(request: Request) -> str:
    """All words of a request's messages."""
    return "\n".join(part.text for message in request.messages for part in message.parts if isinstance(part, Text))
