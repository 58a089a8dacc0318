"""Google's Gemini."""

from __future__ import annotations

from trueline.models.provider import Provider, server_credentials

PROVIDER = Provider(
    "gemini",
    "Google's Gemini, through its OpenAI-compatible endpoint",
    credentials=server_credentials(
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_BASE_URL",),
        ("GEMINI_API_KEY", "GENAI_API_KEY", "GOOGLE_API_KEY"),
    ),
)
