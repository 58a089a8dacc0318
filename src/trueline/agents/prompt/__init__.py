"""The prompt agent: any model, told in its prompt how to see and act, as OSWorld's and OS-Harm's agents are."""

from trueline.agents.prompt.agent import PromptAgent, PromptOptions

__all__ = ["PromptAgent", "PromptOptions"]
