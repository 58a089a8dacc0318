"""Agents against real clients and a server on loopback that insists on the providers' rules."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from PIL import Image as Pillow
from pydantic import JsonValue

from trueline.actions import Action, Size
from trueline.agents import AgentContext
from trueline.agents.types import Agent, close_agent
from trueline.models import Config, open_model
from trueline.models.envfiles import Env
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer, Play, Seen, Status
from trueline.models.types import Json
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult
from trueline.records.tree import Node, Place, Tree, marks
from trueline.records.tree import Size as TreeSize
from trueline.records.verdict import Feedback

T = TypeVar("T")

SCREEN = Size(1920, 1080)
INSTRUCTION = "Rename the file to plan.txt"
FEEDBACK = Feedback(wrong="It deletes a file.", misled_by="the pop-up", instead="Rename it.")
PATIENCE = RetryPolicy(attempts=2, first_s=0.001, longest_s=0.01, attempt_s=20, deadline_s=20)
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_OPENAI_API_KEY")


def png(size: Size = SCREEN, colour: str = "navy") -> bytes:
    picture = Pillow.new("RGB", size, colour)
    picture.paste("white", (0, 0, size.width // 2, size.height // 2))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


SHOT = png()


def element(role: str, name: str, x: int, y: int) -> Node:
    states = frozenset({"showing", "visible", "enabled"})
    return Node(role, name, states=states, position=Place(x, y), size=TreeSize(40, 20))


TREE = Tree(Node("desktop-frame", children=(element("push-button", "Save", 100, 200), element("menu", "File", 10, 10))))


def observed(shot: bytes | None = SHOT, tree: Tree | None = TREE, marked: bool = False) -> Observation:
    found = marks(tree) if marked and tree else ()
    return Observation(time=datetime(2030, 1, 1, tzinfo=UTC), screenshot=shot, tree=tree, marks=found)


def done(proposal: Proposal, output: str | None = None, error: str | None = None) -> tuple[ActionResult, ...]:
    """What comes back when every action of a proposal was executed; output and error are the last one's."""
    results = [ActionResult(action=action, id=f"{proposal.id}-{n}") for n, action in enumerate(proposal.actions)]
    return (*results[:-1], results[-1].model_copy(update={"output": output, "error": error}))


def dropped(proposal: Proposal, why: str) -> tuple[ActionResult, ...]:
    """What comes back when nothing of a proposal was executed."""
    return tuple(ActionResult(action=action, error=why) for action in proposal.actions)


def meets(session: Callable[[Agent], Awaitable[T]], agent: Agent, server: FakeServer, spec: str, **ctx: str) -> T:
    """Let an agent meet the model of a server, in a fresh event loop; nothing may take forever."""

    async def main() -> T:
        async with asyncio.timeout(60), server:
            model = open_model(spec, config=_config(server))
            context = AgentContext(INSTRUCTION, SCREEN, models={"agent": model}, episode="e1", plan=ctx.get("plan"))
            try:
                await agent.reset(context)
                return await session(agent)
            finally:
                await close_agent(agent)
                await model.close()

    return asyncio.run(main())


def _config(server: FakeServer) -> Config:
    addresses = {"OPENAI_BASE_URL": f"{server.url}/v1", "LOCAL_OPENAI_BASE_URL": f"{server.url}/v1"}
    keys = {name: f"key-of-the-tests-{name}" for name in KEYS}
    return Config(env=Env(keys | addresses | {"ANTHROPIC_BASE_URL": server.url}), retry=PATIENCE)


def strict(rule: Callable[[Json], str], plays: Sequence[Play]) -> FakeServer:
    """A server that plays one thing after the other, but answers 400 to a request that breaks its protocol."""
    left = list(plays)

    def answer(seen: Seen) -> Play:
        problem = rule(seen.body)
        return Status(400, problem) if problem else left.pop(0)

    return FakeServer(default=answer)


def items(value: JsonValue) -> list[Json]:
    assert isinstance(value, list)
    return [item for item in value if isinstance(item, dict)]


def anthropic_rule(body: Json) -> str:
    """Every call gets its result in the next turn, before anything else there; an error result is text."""
    open_calls: list[JsonValue] = []
    for message in items(body["messages"]):
        blocks = items(message["content"])
        if message["role"] == "assistant":
            if open_calls:
                return f"tool_use {open_calls} has no tool_result"
            open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            continue
        results = [block for block in blocks if block["type"] == "tool_result"]
        if [block["type"] for block in blocks[: len(results)]] != ["tool_result"] * len(results):
            return "tool_result blocks must come first"
        if [block["tool_use_id"] for block in results] != open_calls:
            return f"the results do not answer the calls {open_calls}"
        open_calls = []
        for result in results:
            kinds = {str(piece["type"]) for piece in items(result["content"])}
            if result.get("is_error") and kinds != {"text"}:
                return "all content must be text if is_error is true"
            if not kinds:
                return "an empty result"
    return "" if items(body["messages"])[-1]["role"] == "user" else "the last turn must be the user's"


def openai_rule(body: Json) -> str:
    """Every computer call gets one screenshot, and all of its pending safety checks acknowledged."""
    story = items(body["input"])
    calls = {str(item["call_id"]): item for item in story if item.get("type") == "computer_call"}
    outputs = {str(item["call_id"]): item for item in story if item.get("type") == "computer_call_output"}
    if calls.keys() != outputs.keys():
        return f"calls {sorted(calls)} but outputs {sorted(outputs)}"
    for id, call in calls.items():
        pending = [check["id"] for check in items(call["pending_safety_checks"])]
        given = [check["id"] for check in items(outputs[id].get("acknowledged_safety_checks", []))]
        if pending != given:
            return f"safety checks {pending} of {id} are pending, {given} were acknowledged"
    return ""


def texts(value: JsonValue | Sequence[Json]) -> str:
    """All texts of a request, one after the other."""
    if isinstance(value, dict):
        own = value.get("text")
        return "\n".join([own] if isinstance(own, str) else [texts(child) for child in value.values()])
    if isinstance(value, list):
        return "\n".join(texts(child) for child in value)
    return value if isinstance(value, str) and not value.startswith("data:") else ""


def plain(actions: Sequence[Action]) -> list[Action]:
    return [action.model_copy(update={"raw": "", "pause_after": 0.0}) for action in actions]
