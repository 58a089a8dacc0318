"""Any OpenAI-compatible server."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "local",
    "any OpenAI-compatible server",
    credentials=server_credentials(
        "http://localhost:8000/v1", ("LOCAL_OPENAI_BASE_URL",), ("LOCAL_OPENAI_API_KEY",), key="none"
    ),
    structured=True,
)
