"""The prompt agent: any model, told in its prompt how to see and act."""

from __future__ import annotations

from trueline.agents.conversation import PACKAGE, TURNS
from trueline.agents.prompt import PromptAgent, PromptOptions
from trueline.agents.registry import PROMPT_FIELDS, AgentKind, AgentMaker
from trueline.models.prompt_files import hash_prompts
from trueline.records.setting import Sampling


def _open(options: PromptOptions, sampling: Sampling) -> AgentMaker:
    return AgentMaker(
        "prompt",
        lambda: PromptAgent(options, sampling),
        options.model_dump(mode="json"),
        hash_prompts(PACKAGE, (*options.prompts, TURNS)),
        needs_model=True,
    )


AGENT = AgentKind.typed(PromptOptions, _open, asks="messages", run_fields=PROMPT_FIELDS, question="window")
