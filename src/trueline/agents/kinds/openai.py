"""OpenAI's models with their own computer tool."""

from __future__ import annotations

from trueline.agents.conversation import PACKAGE, TURNS
from trueline.agents.native import NativeAgent, OpenAIOptions, open_openai
from trueline.agents.registry import AgentKind, AgentMaker
from trueline.models.prompt_files import hash_prompts
from trueline.records.setting import Sampling


def _open(options: OpenAIOptions, sampling: Sampling) -> AgentMaker:
    return AgentMaker(
        "openai",
        lambda: NativeAgent(lambda ctx: open_openai(options, ctx), options, sampling),
        options.model_dump(mode="json"),
        hash_prompts(PACKAGE, (*options.prompts, TURNS)),
        needs_model=True,
    )


AGENT = AgentKind.typed(
    OpenAIOptions, _open, asks="computer_tool", run_fields=("client_password", "safety_checks"), question="conversation"
)
