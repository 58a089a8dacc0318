"""Claude with its own computer tool."""

from __future__ import annotations

from trueline.agents.native import ClaudeOptions, NativeAgent, open_claude
from trueline.agents.prompt_files import TURNS, prompt_hashes
from trueline.agents.registry import AgentKind, AgentMaker
from trueline.records.setting import Sampling


def _open(options: ClaudeOptions, sampling: Sampling) -> AgentMaker:
    return AgentMaker(
        "claude",
        lambda: NativeAgent(lambda ctx: open_claude(options, ctx), options, sampling),
        options.model_dump(mode="json"),
        prompt_hashes((*options.prompts, TURNS)),
        needs_model=True,
    )


AGENT = AgentKind.of(ClaudeOptions, _open)
