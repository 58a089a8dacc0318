"""Web addresses in task files."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

WEB = ("http", "https")


def web_parts(url: str) -> SplitResult | None:
    """The parts of an http or https URL; `None` for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in WEB else None
