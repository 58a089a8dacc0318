"""Our agents behind a guard: what it rejects reaches the model in the model's own way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from support.acting import SHOT, anthropic_rule, meets, observed, openai_rule, plain, strict, texts
from support.guarding import WordGuard
from trueline.actions import Type
from trueline.agents import find_agent
from trueline.agents.types import Agent
from trueline.guard.guarded import guarded
from trueline.models import ToolCall
from trueline.models.testing import Say
from trueline.models.types import Json
from trueline.records.proposal import Proposal

CHECK: Json = {"id": "sc_1", "code": "malicious_instructions", "message": "careful"}


def claude(text: str) -> Say:
    return Say("", calls=(ToolCall(id=text, name="computer", arguments={"action": "type", "text": text}),))


def openai(text: str) -> Say:
    arguments: Json = {"action": {"type": "type", "text": text}, "pending_safety_checks": [CHECK]}
    return Say("", calls=(ToolCall(id=text, name="computer", arguments=arguments),))


def no_rule(body: Json) -> str:
    return ""


def prompt(text: str) -> Say:
    return Say(f"```python\npyautogui.write({text!r})\n```")


@pytest.mark.parametrize(
    ("name", "spec", "say", "rule", "options"),
    [
        ("prompt", "local|any", prompt, no_rule, {"observation_type": "screenshot"}),
        ("claude", "anthropic|claude-sonnet-4-5", claude, anthropic_rule, {}),
        ("openai", "openai|computer-use-preview", openai, openai_rule, {"safety_checks": "guard"}),
    ],
    ids=["prompt", "claude", "openai"],
)
def test_a_rejected_proposal_is_revised(
    name: str, spec: str, say: Callable[[str], Say], rule: Callable[[Json], str], options: dict[str, JsonValue]
) -> None:
    server = strict(rule, [say("delete"), say("rename")])
    agent = guarded(find_agent(name, options).make(), WordGuard())

    async def session(agent: Agent) -> Proposal:
        return await agent.propose(observed(SHOT), ())

    proposal = meets(session, agent, server, spec)
    assert plain(proposal.actions) == [Type(text="rename")]
    assert [outcome.allowed for outcome in agent.outcomes] == [False, True]
    told = texts(server.seen[1].body)
    assert "It deletes files." in told
    assert "Rename the file." in told
    assert "acknowledged" not in str(server.seen[1].body)
