"""Open a model by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from trueline.errors import InputError, MissingExtraError
from trueline.models.anthropic_messages import MessagesCodec, thinks
from trueline.models.api_model import ApiModel, Shared
from trueline.models.envfiles import Env, load_env
from trueline.models.families import Family, family_of
from trueline.models.keys import ProviderAccess, Redactor, find_access
from trueline.models.ledger import CostLedger, CountedModel
from trueline.models.limits import Limiters
from trueline.models.openai_chat import ChatCodec
from trueline.models.openai_responses import ResponsesCodec
from trueline.models.pricing import Prices, load_prices
from trueline.models.provider import SECRET_ROLES, Provider
from trueline.models.providers import PROVIDERS
from trueline.models.rejected_parameters import RejectedParameters
from trueline.models.retry import RetryPolicy
from trueline.models.servers import Servers
from trueline.models.specs import Spec, parse_spec
from trueline.models.types import Answer, ComputerTool, Model, ModelId, NativeItem, Request
from trueline.models.wire import Client, Codec
from trueline.text import printable

_OF_EXTRA = frozenset({"openai", "anthropic", "httpx2", "boto3", "botocore"})
"""What the extra `models` installs."""
_RESPONSES_ONLY = re.compile(r"computer-use-preview|.*(-pro|-codex|-deep-research)\b")


@dataclass(frozen=True)
class Config:
    """What the models of one program share: pass the same object to each `open_model`."""

    env: Env = field(default_factory=load_env)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    limiters: Limiters = field(default_factory=Limiters)
    ledger: CostLedger = field(default_factory=CostLedger)
    prices: Prices = field(default_factory=load_prices, repr=False)
    servers: Servers = field(default_factory=Servers, repr=False)
    rejected: RejectedParameters = field(default_factory=RejectedParameters, repr=False)
    named_only: bool = False
    """Whether models are only named, as for a dry run: no key is needed, and asking one is an error."""


def open_model(
    name: str | Spec, *, provider: str | None = None, url: str | None = None, config: Config | None = None
) -> Model:
    """Open a model. Close it when you are done.

    Args:
        name: `provider|model`, a bare model name, or a spec.
        provider: The provider, if the name does not hold it (`--model_provider`).
        url: The server's address; it overrides the environment's (`--model_url`).
        config: What several models share, such as limits and the ledger; by default this model shares nothing.

    Raises:
        SpecError: The name is not understood.
        MissingKeyError: A variable is not set; the message names it.
        MissingExtraError: The provider's client is not installed.
    """
    spec = name if isinstance(name, Spec) else parse_spec(name, provider=provider, url=url)
    return _open(PROVIDERS.find(spec.provider), spec, config or Config())


def _open(provider: Provider, spec: Spec, config: Config) -> Model:
    if provider.open_model is not None:
        return CountedModel(provider.open_model(spec.model), config.ledger)
    if config.named_only:
        return _named(provider, spec)
    access = find_access(provider, config.env, spec.url)
    redactor = Redactor.from_env(config.env, (access[role] for role in SECRET_ROLES if access.get(role)))
    model = _server_model(provider, spec.model, access.get("region") or "")
    model_id = ModelId(provider=spec.provider, model=model, url=access["url"])
    shared = Shared(
        config.retry,
        config.limiters.for_server(spec.provider, access["url"]),
        config.ledger,
        config.prices,
        redactor,
        config.servers.for_server(spec.provider, access["url"]),
        config.rejected,
    )
    family = family_of(spec.provider, model)
    codec_for = _codec_for(provider, model, family)
    client = _open_client(provider, access, redactor)
    return ApiModel(model_id, client, codec_for, _structured_by(provider), shared)


def _named(provider: Provider, spec: Spec) -> Model:
    model = _server_model(provider, spec.model, "")
    return _NamedModel(ModelId(provider=spec.provider, model=model, url=spec.url or ""))


class _NamedModel:
    """A model that cannot be asked."""

    def __init__(self, model_id: ModelId) -> None:
        self.id = model_id

    async def ask(self, request: Request) -> Answer:
        raise InputError(f"{self.id} was opened by name only, so it cannot be asked ({request.purpose})")

    async def close(self) -> None:
        pass


def _server_model(provider: Provider, model: str, region: str) -> str:
    return provider.server_model(model, region) if provider.server_model else model


def _open_client(provider: Provider, access: ProviderAccess, redactor: Redactor) -> Client:
    # Imported only here: a program that calls no model must not pay seconds for it.
    try:
        if provider.open_client is not None:
            return provider.open_client(access, redactor)
        if provider.wire == "messages":
            from trueline.models.anthropic_client import AnthropicClient

            return AnthropicClient(access, redactor)
        from trueline.models.openai_client import OpenAIClient

        return OpenAIClient(access, redactor)
    except ImportError as error:
        if (error.name or "").partition(".")[0] in _OF_EXTRA:
            raise MissingExtraError("calling a provider's models", "models") from None
        raise InputError(f"provider {provider.name!r}: cannot be imported: {printable(str(error))}") from None


def _structured_by(provider: Provider) -> Callable[[Request], bool]:
    """Whether the provider itself enforces a schema. Anthropic forbids a forced tool while the model thinks."""
    if provider.wire == "messages":
        return lambda request: provider.structured and not thinks(request.sampling)
    return lambda _: provider.structured


def _codec_for(provider: Provider, model: str, family: Family) -> Callable[[Request], Codec]:
    if provider.codec is not None:
        codec = provider.codec(model)
        return lambda _: codec
    if provider.wire == "messages":
        messages = MessagesCodec(model)
        return lambda _: messages
    completion_tokens = provider.completion_tokens or family.limit == "max_completion_tokens"
    chat = ChatCodec(model, completion_tokens, provider.effort, family.stop)
    if not provider.responses:
        return lambda _: chat
    responses = ResponsesCodec(model)
    return lambda request: responses if _needs_responses(request, model) else chat


def _needs_responses(request: Request, model: str) -> bool:
    """Whether only the Responses API fits: because of the model, a computer tool, or an earlier answer of that API."""
    if _RESPONSES_ONLY.match(model) or any(isinstance(tool, ComputerTool) for tool in request.tools):
        return True
    parts = (part for message in request.messages for part in message.parts)
    return any(isinstance(part, NativeItem) and part.api == "responses" for part in parts)
