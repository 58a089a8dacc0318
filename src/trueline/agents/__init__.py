"""Agents: what proposes the next actions. The contract is in `types`; `registry` finds agents by name."""

from trueline.agents.registry import AgentKind, AgentMaker, find_agent
from trueline.agents.types import Agent, AgentContext, AgentError, close_agent

__all__ = ["Agent", "AgentContext", "AgentError", "AgentKind", "AgentMaker", "close_agent", "find_agent"]
