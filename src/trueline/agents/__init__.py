"""Agents: what proposes the next actions. The contract is in `types`; `registry` finds agents by name."""

from trueline.agents.registry import AgentKind, AgentMaker, find_agent
from trueline.agents.types import AgentContext

__all__ = ["AgentContext", "AgentKind", "AgentMaker", "find_agent"]
