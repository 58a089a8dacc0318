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


def named(path: str) -> str:
    r"""A file's name as Unicode that everybody can read: bytes that are not UTF-8 stand there as `\xff`."""
    return path if path.isascii() else "".join(_byte(char) if "\ud800" <= char <= "\udfff" else char for char in path)


def _byte(char: str) -> str:
    return f"\\x{ord(char) - 0xDC00:02x}" if "\udc80" <= char <= "\udcff" else _escape(char)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
