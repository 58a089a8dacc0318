"""The prompt agent: any model, told in words how to see and act, as OSWorld's and OS-Harm's agents are."""

from trueline.agents.prompt.agent import PromptAgent, PromptOptions

__all__ = ["PromptAgent", "PromptOptions"]
