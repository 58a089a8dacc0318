"""Comparing addresses of pages as OSWorld does: the host without `www`, port, credentials and public suffix."""

from __future__ import annotations

import re
from urllib.parse import ParseResult, urlparse, urlunparse

from trueline.tasks.checkers.values import UnreadableResult

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+\-.]*://")
_IP = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
_SECOND_LEVEL = frozenset({
    "ac", "co", "com", "edu", "gob", "gouv", "gov", "gv", "mil", "ne", "net", "nom", "or", "org", "sch",
})  # fmt: skip
"""Labels that many countries put before their own: `co.uk`, `com.sg`."""
_TOP_LEVEL = frozenset({
    "academy", "agency", "app", "art", "arpa", "biz", "blog", "cafe", "cat", "center", "cloud", "club", "com",
    "company", "coop", "design", "dev", "digital", "edu", "education", "email", "events", "fun", "games", "gov",
    "group", "guide", "health", "info", "int", "jobs", "live", "lol", "media", "mil", "mobi", "museum", "name", "net",
    "network", "news", "one", "online", "org", "page", "photo", "pro", "science", "shop", "site", "social", "software",
    "solutions", "space", "store", "studio", "systems", "team", "tech", "tel", "today", "tools", "top", "travel", "tv",
    "video", "website", "wiki", "work", "world", "xyz", "zone",
})  # fmt: skip
"""The usual generic ones; countries have two letters. The full list of public suffixes has thousands."""


def same_address(first: str | None, second: str | None) -> bool:
    """Whether two addresses are the same page to OSWorld: `airbnb.com` and `www.airbnb.com.sg` are.

    Raises:
        UnreadableResult: One is no address.
    """
    if first is None or second is None:
        return first == second
    try:
        return _normalize(first) == _normalize(second)
    except ValueError as error:
        raise UnreadableResult(f"not an address: {error}") from error


def _normalize(url: str) -> str:
    parsed = urlparse(url if _SCHEME.match(url) else f"http://{url}")
    return urlunparse(
        ParseResult(
            scheme=parsed.scheme.lower(),
            netloc=_site(parsed.netloc.lower()),
            path="" if parsed.path == "/" else parsed.path,
            params=parsed.params,
            query=parsed.query,
            fragment=parsed.fragment,
        )
    )


def _site(netloc: str) -> str:
    """The host without `www` and public suffix."""
    host = netloc.rpartition("@")[2].partition(":")[0].rstrip(".")
    found = _IP.fullmatch(host)
    if found and all(int(part) < 256 for part in found.groups()):
        return host
    labels = host.split(".")
    kept = len(labels) - _suffix_length(labels)
    domain = labels[kept - 1] if kept else ""
    subdomain = ".".join(labels[: max(kept - 1, 0)])
    return domain if subdomain in ("", "www") else f"{subdomain}.{domain}"


def _suffix_length(labels: list[str]) -> int:
    last = labels[-1]
    is_country = len(last) == 2 and last.isalpha()
    if is_country and len(labels) > 1 and labels[-2] in _SECOND_LEVEL:
        return 2
    return 1 if is_country or last in _TOP_LEVEL else 0
