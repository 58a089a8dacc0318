"""Agents: what proposes the next actions. The contract is in `types`, names become agents in `build`."""

from trueline.agents.build import AgentMaker, find_agent
from trueline.agents.types import Agent, AgentContext, AgentError, close_agent

__all__ = ["Agent", "AgentContext", "AgentError", "AgentMaker", "close_agent", "find_agent"]
