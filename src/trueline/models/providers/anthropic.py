"""Anthropic."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "anthropic",
    "Anthropic",
    "messages",
    server_credentials("https://api.anthropic.com", ("ANTHROPIC_BASE_URL",), ("ANTHROPIC_API_KEY",)),
    structured=True,
)
