"""Web addresses out of task files."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

WEB = ("http", "https")


def web_parts(url: str) -> SplitResult | None:
    """The parts of a web address; `None` when it is of another kind, or none at all."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in WEB else None
