"""From the name of a model to a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from trueline.errors import MissingExtraError
from trueline.models.anthropic_messages import MessagesCodec, thinks
from trueline.models.api_model import ApiModel, Shared
from trueline.models.envfiles import Env, load_env
from trueline.models.families import Family, family_of
from trueline.models.keys import Access, Redactor, find_access
from trueline.models.ledger import CountedModel, Ledger
from trueline.models.limits import Limiters
from trueline.models.named import NamedModel
from trueline.models.openai_chat import ChatCodec
from trueline.models.openai_responses import ResponsesCodec
from trueline.models.pricing import Prices, load_prices
from trueline.models.providers import PROVIDERS, SECRET_ROLES, Provider
from trueline.models.rejected_parameters import RejectedParameters
from trueline.models.retry import RetryPolicy
from trueline.models.servers import Servers
from trueline.models.specs import Spec, bedrock_id, parse_spec
from trueline.models.types import ComputerTool, Model, ModelId, NativeItem, Request
from trueline.models.wire import Client, Codec

_RESPONSES_ONLY = re.compile(r"computer-use-preview|.*(-pro|-codex|-deep-research)\b")


@dataclass(frozen=True)
class Config:
    """What the models of one program share: hand the same object to each `open_model`."""

    env: Env = field(default_factory=load_env)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    limiters: Limiters = field(default_factory=Limiters)
    ledger: Ledger = field(default_factory=Ledger)
    prices: Prices = field(default_factory=load_prices, repr=False)
    servers: Servers = field(default_factory=Servers, repr=False)
    rejected: RejectedParameters = field(default_factory=RejectedParameters, repr=False)
    named_only: bool = False
    """Whether models are only named, not asked: no key is needed, and asking one is an error."""


def open_model(
    name: str | Spec, *, provider: str | None = None, url: str | None = None, config: Config | None = None
) -> Model:
    """Make a model ready to be asked.

    Args:
        name: `provider|model`, a bare model name, or a spec.
        provider: the provider, if the name does not hold it (`--model_provider`).
        url: the server's address, over the environment's (`--model_url`).
        config: what models share; without one, this model has everything to itself.

    Raises:
        SpecError: the name is not understood.
        MissingKeyError: a variable is not set; the message names it.
        MissingExtraError: the provider's client is not installed.
    """
    spec = name if isinstance(name, Spec) else parse_spec(name, provider=provider, url=url)
    place = PROVIDERS[spec.provider]
    config = config or Config()
    if place.wire == "own":
        return CountedModel(_own(spec), config.ledger)
    if config.named_only:
        return _named(spec)
    access = find_access(place, config.env, spec.url)
    redactor = Redactor.of(config.env, (access[role] for role in SECRET_ROLES if access.get(role)))
    model = bedrock_id(spec.model, access["region"]) if spec.provider == "aws" else spec.model
    model_id = ModelId(provider=spec.provider, model=model, url=access["url"])
    shared = Shared(
        config.retry,
        config.limiters.of(spec.provider, access["url"]),
        config.ledger,
        config.prices,
        redactor,
        config.servers.of(spec.provider, access["url"]),
        config.rejected,
    )
    family = family_of(spec.provider, model)
    codec_for = _codec_for(place, model, family)
    return ApiModel(model_id, _client(access, redactor), codec_for, _structured_by(place), shared)


def _named(spec: Spec) -> Model:
    model = bedrock_id(spec.model, "") if spec.provider == "aws" else spec.model
    return NamedModel(ModelId(provider=spec.provider, model=model, url=spec.url or ""))


def _own(spec: Spec) -> Model:
    if spec.provider == "embedded":
        from trueline.models.embedded import EmbeddedModel

        return EmbeddedModel(spec.model)
    from trueline.models.scripted import ScriptedModel

    return ScriptedModel(Path(spec.model))


def _client(access: Access, redactor: Redactor) -> Client:
    # Imported only here: a program that calls no model must not pay seconds for it.
    try:
        if access.provider == "aws":
            from trueline.models.anthropic_client import BedrockClient

            return BedrockClient(access, redactor)
        if access.provider == "anthropic":
            from trueline.models.anthropic_client import AnthropicClient

            return AnthropicClient(access, redactor)
        from trueline.models.openai_client import OpenAIClient

        return OpenAIClient(access, redactor)
    except ImportError:
        raise MissingExtraError("calling a provider's models", "models") from None


def _structured_by(place: Provider) -> Callable[[Request], bool]:
    """Whether a schema goes to the provider in its own way. Anthropic forbids a forced tool while thinking."""
    if place.wire == "messages":
        return lambda request: not thinks(request.sampling)
    return lambda _: place.structured


def _codec_for(place: Provider, model: str, family: Family) -> Callable[[Request], Codec]:
    if place.wire == "messages":
        messages = MessagesCodec(model, bedrock=place.name == "aws")
        return lambda _: messages
    completion_tokens = place.completion_tokens or family.limit == "max_completion_tokens"
    chat = ChatCodec(model, completion_tokens, place.effort, family.stop)
    if place.name not in ("openai", "azure"):
        return lambda _: chat
    responses = ResponsesCodec(model)
    return lambda request: responses if _needs_responses(request, model) else chat


def _needs_responses(request: Request, model: str) -> bool:
    """Whether only the Responses API will do: the model, a computer tool, or an earlier answer of it in the story."""
    if _RESPONSES_ONLY.match(model) or any(isinstance(tool, ComputerTool) for tool in request.tools):
        return True
    parts = (part for message in request.messages for part in message.parts)
    return any(isinstance(part, NativeItem) and part.api == "responses" for part in parts)
