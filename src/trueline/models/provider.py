"""What a provider is: which variables it reads, where its servers are, and which API they speak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueline.models.keys import ProviderAccess, Redactor
    from trueline.models.types import Model
    from trueline.models.wire import Client, Codec

Role = Literal["key", "secret", "session", "profile", "region", "version", "url"]
SECRET_ROLES: frozenset[Role] = frozenset({"key", "secret", "session"})
"""Variables of these roles hold secrets: their values never reach records, caches, logs or messages."""

WireFormat = Literal["chat", "messages"]
"""`chat` is OpenAI's chat completions, `messages` is Anthropic's API."""


@dataclass(frozen=True)
class Variable:
    """One setting of a provider, and the environment variables that may hold it: the first that is set counts."""

    role: Role
    names: tuple[str, ...]
    required: bool = True
    default: str = ""


@dataclass(frozen=True)
class Provider:
    """A place that serves models. `PROVIDER` of each file in `models/providers` is one.

    A provider with a server needs `credentials`: at least a key and an address. A provider whose models run in this
    process needs `open_model` instead.
    """

    name: str
    """The part before the bar in `name|model`."""
    about: str
    """One line for `trueline model list`."""
    wire: WireFormat = "chat"
    credentials: tuple[tuple[Variable, ...], ...] = ()
    """Alternative sets of variables. The first whose required variables are all set is used; sets are never mixed."""
    structured: bool = False
    """Whether the server enforces a schema for the whole answer (a strict `json_schema`, or a forced tool)."""
    completion_tokens: bool = False
    """Whether the token limit is called `max_completion_tokens`."""
    effort: Literal["reasoning_effort", "reasoning.effort"] = "reasoning_effort"
    """Where the reasoning effort goes in a chat request."""
    responses: bool = False
    """Whether it also has OpenAI's Responses API; requests that need that API are sent there."""
    deployments: bool = False
    """Whether its users name the models: the name of the model's family may stand anywhere in such a name."""
    reports_cost: bool = False
    """Whether each response says what it cost."""
    server_model: Callable[[str, str], str] | None = None
    """Maps a model name and a region to the server's name for the model, where the two differ."""
    codec: Callable[[str], Codec] | None = None
    """Maps a model name to the codec of the provider's own API, where neither format of `wire` fits."""
    open_client: Callable[[ProviderAccess, Redactor], Client] | None = None
    """Opens the client that sends requests; by default the official client of `wire`.

    Import that client inside the function: it may be slow to import, or not installed.
    """
    open_model: Callable[[str], Model] | None = None
    """Opens a model that runs in this process: it needs no key and costs nothing."""
    modules: tuple[str, ...] | None = None
    """Optional modules that it needs; by default those of its client."""

    @property
    def in_process(self) -> bool:
        """Whether its models run in this process."""
        return self.open_model is not None

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of all credentials, each once."""
        return tuple(dict.fromkeys(v for variables in self.credentials for v in variables))

    @property
    def required_modules(self) -> tuple[str, ...]:
        """Modules of optional dependencies without which it cannot be used."""
        if self.modules is not None:
            return self.modules
        if self.in_process:
            return ()
        return ("anthropic",) if self.wire == "messages" else ("openai",)


def server_credentials(
    url: str, url_names: tuple[str, ...], key_names: tuple[str, ...], *, key: str = ""
) -> tuple[tuple[Variable, ...], ...]:
    """Describe a server with one key and one address.

    Args:
        url: The address where no variable gives one; if it is empty, a variable must.
        url_names: Variables that may hold another address.
        key_names: Variables that may hold the key.
        key: What is sent where no key is set; without it, a key is required.
    """
    return ((Variable("key", key_names, not key, key), Variable("url", url_names, not url, url)),)
