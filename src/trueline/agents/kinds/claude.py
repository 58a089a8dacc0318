"""Claude with its own computer tool."""

from __future__ import annotations

from trueline.agents.conversation import PACKAGE, TURNS
from trueline.agents.native import ClaudeOptions, NativeAgent, open_claude
from trueline.agents.registry import AgentKind, AgentMaker
from trueline.models.prompt_files import hash_prompts
from trueline.records.setting import Sampling


def _open(options: ClaudeOptions, sampling: Sampling) -> AgentMaker:
    return AgentMaker(
        "claude",
        lambda: NativeAgent(lambda ctx: open_claude(options, ctx), options, sampling),
        options.model_dump(mode="json"),
        hash_prompts(PACKAGE, (*options.prompts, TURNS)),
        needs_model=True,
    )


AGENT = AgentKind.typed(
    ClaudeOptions, _open, asks="computer_tool", run_fields=("client_password", "safety_checks"), question="conversation"
)
