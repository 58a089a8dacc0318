"""OpenRouter."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "openrouter",
    "OpenRouter",
    credentials=server_credentials(
        "https://openrouter.ai/api/v1", ("OPENROUTER_BASE_URL",), ("OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY")
    ),
    effort="reasoning.effort",
    reports_cost=True,
)
