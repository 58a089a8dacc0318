"""Names of models: `provider|model`, or a bare name whose provider is clear from how it begins."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from trueline.models.errors import SpecError
from trueline.models.providers import PROVIDERS
from trueline.text import printable

ALIASES = {"open_router": "openrouter", "bedrock": "aws", "google": "gemini", "azure_openai": "azure"}
"""Other names that people and the older tools use for a provider."""

_BARE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(openai/)?gpt-oss", ("openrouter", "together", "vllm", "local")),
    (r"(gpt-|chatgpt-|o[134](-|$)|computer-use-preview)", ("openai",)),
    (r"claude-", ("anthropic",)),
    (r"((us|eu|apac|jp|au|global)\.)?anthropic\.claude-", ("aws",)),
    (r"gemini-", ("gemini",)),
    (r"(moonshotai/)?kimi-", ("openrouter",)),
    (r"smollm2", ("embedded",)),
    (r".*(qwen|ui-tars|opencua|llama|mistral|deepseek|glm)", ("openrouter", "together", "vllm", "local")),
)
"""The providers of a bare name, by how it begins; the first match counts."""


class Spec(NamedTuple):
    """The name of a model."""

    provider: str
    model: str
    url: str | None = None
    """The server's address, if given beside the name."""

    def __str__(self) -> str:
        """Return what a user would type."""
        return f"{self.provider}|{self.model}"


def parse_spec(text: str, *, provider: str | None = None, url: str | None = None) -> Spec:
    """Parse the name of a model.

    Args:
        text: `provider|model` or a bare model name.
        provider: the provider given by a flag of its own (`--model_provider`).
        url: the address given by a flag of its own (`--model_url`).

    Raises:
        SpecError: The name is invalid or ambiguous; the message lists the choices.
    """
    named, bar, model = text.strip().partition("|")
    if not bar:
        named, model = "", named
    if not model:
        raise SpecError(f"model {text!r}: no model name; write provider|model, such as openai|gpt-5")
    chosen = {_provider(name) for name in (named.strip(), provider) if name}
    if len(chosen) > 1:
        raise SpecError(
            f"model {text!r}: contradicts the provider {provider!r} that is given separately; give one of them"
        )
    return Spec(chosen.pop() if chosen else _resolve(model), model.strip(), check_address(url) if url else None)


def _provider(name: str) -> str:
    name = ALIASES.get(name.lower(), name.lower())
    if name not in PROVIDERS:
        raise SpecError(f"unknown provider {printable(name, 100)!r}; choose one of {', '.join(PROVIDERS.names())}")
    return name


def _resolve(model: str) -> str:
    for pattern, providers in _BARE:
        if re.match(pattern, model, re.IGNORECASE):
            if len(providers) == 1:
                return providers[0]
            raise SpecError(f"model {model!r} is available from several providers: write " + _choices(model, providers))
    raise SpecError(f"model {model!r}: its provider is not known; write " + _choices(model, PROVIDERS.names()))


def _choices(model: str, providers: tuple[str, ...]) -> str:
    return " or ".join(f"{provider}|{model}" for provider in providers)


def check_address(url: str) -> str:
    """Check an address. It must not contain secrets: addresses are written to records and caches."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpecError("the address of a model's server must look like http://host:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SpecError(
            f"the address of {parts.hostname} must not contain a user, password or query; set the key as a variable"
        )
    return url.rstrip("/")
