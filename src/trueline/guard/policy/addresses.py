"""Addresses as a browser reads them."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

from trueline.actions.facts.mentions import mentions
from trueline.guard.policy.folding import fold

_SCHEME = re.compile(r"(?:view-source:)?(https?|ftp|wss?):[/\\]*", re.IGNORECASE)
_WITHOUT_HOST = re.compile(r"mailto:|[a-z][a-z0-9+.-]*:(?![\d/])[^@]*$", re.IGNORECASE)
_DOTS = str.maketrans("。．｡", "...")
_DROPPED = str.maketrans("", "", "\t\r\n")


def split_address(url: str) -> SplitResult:
    r"""Split an address: `\` counts as `/`, extra slashes after the scheme are ignored, the scheme is optional.

    Raises:
        ValueError: It is none.
    """
    text = fold(url).strip().translate(_DROPPED)
    if scheme := _SCHEME.match(text):
        return urlsplit(f"{scheme[1]}://{text[scheme.end() :]}".replace("\\", "/"))
    return urlsplit(text if "://" in text or _WITHOUT_HOST.match(text) else f"//{text}")


def hosts_of(url: str) -> tuple[str, ...]:
    """Return the host of an address; where there is none, the hosts that it mentions."""
    try:
        host = split_address(url).hostname
    except ValueError:
        host = None
    plain = unquote(host or "").translate(_DOTS).rstrip(".")
    return (plain,) if plain else mentions([url]).hosts
