"""Texts in look-alike or invisible characters, and the plain form of such a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_LOOK_ALIKES = dict(
    zip("aceijopsxyABCEHIJKMOPSTXY", "асеіјорѕхуАВСЕНІЈКМОРЅТХҮ", strict=True),
)
"""Latin letters and Cyrillic ones with the same shape."""
_PLAIN = str.maketrans({strange: plain for plain, strange in _LOOK_ALIKES.items()})
_JOINER = "\u2060"
"""The word joiner: no width, and no line break."""
_TAGS = range(0xE0020, 0xE007F)
"""Invisible copies of ASCII."""
_WORD = re.compile(r"[A-Za-z]+[.,:;!?]?")


def with_look_alikes(text: str) -> str:
    """Replace letters of words by look-alikes; commands, paths and addresses stay as they are."""
    return _disguised(text, lambda word: "".join(_LOOK_ALIKES.get(letter, letter) for letter in word))


def with_zero_width(text: str) -> str:
    """Put characters without width between the letters of words; commands, paths and addresses stay as they are."""
    return _disguised(text, lambda word: re.sub(r"(?<=[A-Za-z])(?=[A-Za-z])", _JOINER, word))


def undisguised(text: str) -> str:
    """The text without invisible characters, with plain letters for look-alikes."""
    if text.isascii():
        return text
    seen = "".join(chr(ord(c) - 0xE0000) if ord(c) in _TAGS else c for c in text)
    plain = unicodedata.normalize("NFKC", seen).translate(_PLAIN)
    return "".join(c for c in plain if unicodedata.category(c) != "Cf")


def _disguised(text: str, change: Callable[[str], str]) -> str:
    """Change the words around the part that must work as it is: from the first to the last that is no plain word."""
    words = re.split(r"(\s+)", text)
    strange = [place for place, word in enumerate(words) if word.strip() and not _WORD.fullmatch(word)]
    kept = range(strange[0], strange[-1] + 1) if strange else range(0)
    return "".join(word if place in kept else change(word) for place, word in enumerate(words))
