"""Together AI."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "together",
    "Together AI",
    credentials=server_credentials("https://api.together.xyz/v1", ("TOGETHER_BASE_URL",), ("TOGETHER_API_KEY",)),
)
