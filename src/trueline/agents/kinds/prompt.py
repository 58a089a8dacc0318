"""Any model, told in words how to see and act."""

from __future__ import annotations

from trueline.agents.prompt import PromptAgent, PromptOptions
from trueline.agents.prompt_files import TURNS, prompt_hashes
from trueline.agents.registry import AgentKind, AgentMaker
from trueline.records.setting import Sampling


def _open(options: PromptOptions, sampling: Sampling) -> AgentMaker:
    return AgentMaker(
        "prompt",
        lambda: PromptAgent(options, sampling),
        options.model_dump(mode="json"),
        prompt_hashes((*options.prompts, TURNS)),
        needs_model=True,
    )


AGENT = AgentKind.of(PromptOptions, _open)
