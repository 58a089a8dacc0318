"""Agents that use a provider's own computer tool: `claude` and `openai`."""

from trueline.agents.native.agent import NativeAgent
from trueline.agents.native.claude import ClaudeOptions, open_claude
from trueline.agents.native.openai import OpenAIOptions, open_openai

__all__ = ["ClaudeOptions", "NativeAgent", "OpenAIOptions", "open_claude", "open_openai"]
