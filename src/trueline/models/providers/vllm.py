"""A vLLM server."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "vllm",
    "a vLLM server",
    credentials=server_credentials(
        "http://localhost:8000/v1", ("VLLM_BASE_URL", "vLLM_ENDPOINT_URL"), ("VLLM_API_KEY",), key="none"
    ),
    structured=True,
)
