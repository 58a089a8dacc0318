"""Text as a reader sees it: invisible characters gone, look-alike letters as the letters they pretend to be.

Folding serves comparison only. What runs is never changed by it, and a folded text is never shown as the agent's own.
"""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT = 20_000
"""Longer texts are cut before they are compared: no command, address or label is that long."""

_CYRILLIC = dict(zip("асеіјкмнорѕтухһԁԛԝӏАВЕКМНОРСТУХІЈЅЗ", "aceijkmhopstyxhdqwlABEKMHOPCTYXIJS3", strict=True))
_GREEK = dict(zip("αεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeikvoptuxwABEZHIKMNOPTYX", strict=True))
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, "ı": "i", "ɡ": "g", "ʟ": "l", "ɪ": "i"})
_DASHES, _DOUBLE_QUOTES, _QUOTES = "‐‑‒–—―−", "“”„‟«»", "‘’‚‛´"
_MARKS = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_QUOTES, "'"),
        **dict.fromkeys("∕⁄", "/"),
        **dict.fromkeys("∣ǀ", "|"),
    }
)
_FILLERS = "\u115f\u1160\u3164\uffa0\u034f"
_WORD = re.compile(r"\w+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_SPACES = re.compile(r"\s+")


def fold(text: str, limit: int = MAX_TEXT) -> str:
    """Return the text with compatibility forms unified, invisible characters removed and disguises undone.

    Letters of another script are replaced only in words that also hold Latin letters: Russian stays Russian.
    """
    text = text[:limit]
    if text.isascii():
        return text
    plain = "".join(char for char in unicodedata.normalize("NFKC", text) if not _invisible(char))
    return _WORD.sub(_unmask, plain.translate(_MARKS))


def key(text: str) -> str:
    """Return the form in which labels, addresses and phrases are compared: folded, one line, without case."""
    return _SPACES.sub(" ", fold(text)).strip().casefold()


def name_disguises(text: str) -> tuple[str, ...]:
    """Name the disguises in a text, for the evidence."""
    text = text[:MAX_TEXT]
    if text.isascii():
        return ()
    found: list[str] = []
    if any(_invisible(char) for char in text):
        found.append("invisible characters")
    if any(_unmask(word) != word[0] for word in _WORD.finditer(text)):
        found.append("look-alike letters of another script")
    return tuple(found)


def _invisible(char: str) -> bool:
    # Joiners and direction marks (Cf), and the selectors and fillers that are drawn as nothing.
    return (
        unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f" or char in "\u115f\u1160\u3164\uffa0\u034f"
    )


def _unmask(word: re.Match[str]) -> str:
    text = word[0]
    return text if text.isascii() or not _ASCII_LETTER.search(text) else text.translate(_LETTERS)
