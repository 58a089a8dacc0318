"""Text from files, screens and models made safe to print."""

from __future__ import annotations

import unicodedata

# Besides control characters: marks that reorder text on a terminal, and line separators.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def printable(text: str, limit: int = 300) -> str:
    """Return the text on one line with control and formatting characters escaped, cut at `limit` characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isascii() and cut.isprintable():
        return cut
    return "".join(_escape(char) if unicodedata.category(char) in _UNPRINTABLE else char for char in cut)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
