"""Providers by name: our own, one file each, and those of other packages (entry points of `trueline.providers`)."""

from __future__ import annotations

import logging
import re
from functools import cache

from trueline.errors import InputError
from trueline.models.provider import Provider
from trueline.registry import Registry
from trueline.text import printable

log = logging.getLogger(__name__)

_BUILTIN = (
    "openai",
    "azure",
    "anthropic",
    "aws",
    "openrouter",
    "together",
    "gemini",
    "vllm",
    "local",
    "embedded",
    "scripted",
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


def _adapt(name: str, found: object) -> Provider:
    if not isinstance(found, Provider):
        raise InputError(f"provider {printable(name, 100)!r}: must be a trueline.models.Provider")
    if problem := _problem(name, found):
        raise InputError(f"provider {printable(name, 100)!r}: {problem}")
    return found


def _problem(name: str, provider: Provider) -> str:
    """What a package got wrong, so that it is told before anything is asked."""
    if not _NAME.fullmatch(name):
        return "the name must be lower-case letters, digits, '.', '_' and '-'"
    if provider.name != name:
        return f"is registered under this name but calls itself {printable(provider.name, 100)!r}"
    if provider.in_process:
        return "a provider with open_model has no server, so it takes no credentials" if provider.credentials else ""
    needed = {"url"} if provider.open_client else {"url", "key"}
    for variables in provider.credentials or ((),):
        given = {variable.role for variable in variables if variable.required or variable.default}
        if missing := sorted(needed - given):
            return f"its credentials lack a variable with the role {' and '.join(missing)}, required or with a default"
    return ""


PROVIDERS: Registry[Provider] = Registry(
    "provider", "trueline.providers", {name: f"{__name__}.{name}:PROVIDER" for name in _BUILTIN}, _adapt
)


def usable_providers() -> tuple[Provider, ...]:
    """Return all providers. One of another package that cannot be loaded is left out, with a warning."""
    found: list[Provider] = []
    for name in PROVIDERS.names():
        try:
            found.append(PROVIDERS.find(name))
        except InputError as error:
            _warn(str(error))
    return tuple(found)


def speaks_messages(name: str) -> bool:
    """Whether a provider of this name exists and speaks Anthropic's API."""
    return name in PROVIDERS and PROVIDERS.find(name).wire == "messages"


def runs_in_process(name: str) -> bool:
    """Whether a provider of this name exists and its models run in this process, at no cost."""
    return name in PROVIDERS and PROVIDERS.find(name).in_process


@cache
def _warn(message: str) -> None:
    """Log a warning once."""
    log.warning("%s", message)
