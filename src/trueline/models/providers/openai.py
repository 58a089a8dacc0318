"""OpenAI."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "openai",
    "OpenAI",
    credentials=server_credentials("https://api.openai.com/v1", ("OPENAI_BASE_URL",), ("OPENAI_API_KEY",)),
    structured=True,
    completion_tokens=True,
    responses=True,
)
