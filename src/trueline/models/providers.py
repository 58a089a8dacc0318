"""The providers as data: which variables they read, where they live, which wire format they speak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["key", "secret", "session", "profile", "region", "version", "url"]
SECRET_ROLES: frozenset[Role] = frozenset({"key", "secret", "session"})

WireFormat = Literal["chat", "messages", "own"]
"""`chat` is OpenAI's (its Responses API too, where needed), `messages` Anthropic's, `own` needs no server of theirs."""


@dataclass(frozen=True)
class Variable:
    """One thing a provider needs to know, and the variables that may say it: the first that is set counts."""

    role: Role
    names: tuple[str, ...]
    required: bool = True
    default: str = ""


@dataclass(frozen=True)
class Provider:
    """A place where models live."""

    name: str
    about: str
    wire: WireFormat
    families: tuple[tuple[Variable, ...], ...] = ()
    """Ways to get in. The first whose required variables are all set is taken; families are never mixed."""
    structured: bool = False
    """Whether it takes a schema for the whole answer (a strict `json_schema`, or a forced tool)."""
    completion_tokens: bool = False
    """Whether the token limit is called `max_completion_tokens`."""
    effort: Literal["reasoning_effort", "reasoning.effort"] = "reasoning_effort"
    """Where the reasoning effort goes in a chat request."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every variable of all families, once."""
        return tuple(dict.fromkeys(v for family in self.families for v in family))


def _server(url: str, url_names: tuple[str, ...], key: Variable) -> tuple[tuple[Variable, ...], ...]:
    return ((key, Variable("url", url_names, required=False, default=url)),)


_REGION = Variable("region", ("AWS_REGION", "AWS_DEFAULT_REGION"))
_BEDROCK_URL = Variable(
    "url", ("ANTHROPIC_BEDROCK_BASE_URL",), required=False, default="https://bedrock-runtime.{region}.amazonaws.com"
)
_AZURE_VERSION = "2025-04-01-preview"
_LOCAL = "http://localhost:8000/v1"

_ALL = (
    Provider(
        "openai",
        "OpenAI",
        "chat",
        _server("https://api.openai.com/v1", ("OPENAI_BASE_URL",), Variable("key", ("OPENAI_API_KEY",))),
        structured=True,
        completion_tokens=True,
    ),
    Provider(
        "azure",
        "OpenAI's models on Azure; the model is the name of your deployment",
        "chat",
        (
            (
                Variable("key", ("AZURE_OPENAI_API_KEY",)),
                Variable("url", ("AZURE_OPENAI_ENDPOINT",)),
                Variable(
                    "version",
                    ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION", "AZURE_API_VERSION"),
                    required=False,
                    default=_AZURE_VERSION,
                ),
            ),
            (
                Variable("key", ("AZURE_API_KEY",)),
                Variable("url", ("AZURE_ENDPOINT",)),
                Variable("version", ("AZURE_API_VERSION",), required=False, default=_AZURE_VERSION),
            ),
        ),
        structured=True,
        completion_tokens=True,
    ),
    Provider(
        "anthropic",
        "Anthropic",
        "messages",
        _server("https://api.anthropic.com", ("ANTHROPIC_BASE_URL",), Variable("key", ("ANTHROPIC_API_KEY",))),
        structured=True,
    ),
    Provider(
        "aws",
        "Claude on Amazon Bedrock; short names such as claude-3-7-sonnet, or a full model id",
        "messages",
        (
            (Variable("key", ("AWS_BEARER_TOKEN_BEDROCK",)), _REGION, _BEDROCK_URL),
            (
                Variable("key", ("AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID")),
                Variable("secret", ("AWS_SECRET_KEY", "AWS_SECRET_ACCESS_KEY")),
                Variable("session", ("AWS_SESSION_TOKEN",), required=False),
                _REGION,
                _BEDROCK_URL,
            ),
            (Variable("profile", ("AWS_PROFILE",)), _REGION, _BEDROCK_URL),
        ),
        structured=True,
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        "chat",
        _server(
            "https://openrouter.ai/api/v1",
            ("OPENROUTER_BASE_URL",),
            Variable("key", ("OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY")),
        ),
        effort="reasoning.effort",
    ),
    Provider(
        "together",
        "Together AI",
        "chat",
        _server("https://api.together.xyz/v1", ("TOGETHER_BASE_URL",), Variable("key", ("TOGETHER_API_KEY",))),
    ),
    Provider(
        "gemini",
        "Google's Gemini, by its OpenAI-compatible endpoint",
        "chat",
        _server(
            "https://generativelanguage.googleapis.com/v1beta/openai",
            ("GEMINI_BASE_URL",),
            Variable("key", ("GEMINI_API_KEY", "GENAI_API_KEY", "GOOGLE_API_KEY")),
        ),
    ),
    Provider(
        "vllm",
        "a vLLM server",
        "chat",
        _server(
            _LOCAL, ("VLLM_BASE_URL", "vLLM_ENDPOINT_URL"), Variable("key", ("VLLM_API_KEY",), False, default="none")
        ),
        structured=True,
    ),
    Provider(
        "local",
        "any OpenAI-compatible server",
        "chat",
        _server(_LOCAL, ("LOCAL_OPENAI_BASE_URL",), Variable("key", ("LOCAL_OPENAI_API_KEY",), False, default="none")),
        structured=True,
    ),
    Provider("embedded", "a very small model inside a package: no key, no network, not to be believed", "own"),
    Provider("scripted", "answers from a file, by matching rules", "own"),
)

PROVIDERS: Mapping[str, Provider] = {provider.name: provider for provider in _ALL}
