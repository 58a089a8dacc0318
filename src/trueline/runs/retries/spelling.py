"""Finds a value in a sentence however it is spelled: spaces, punctuation, decimal commas, number words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LONGEST = 60
"""Letters and digits of a value that are looked for; who says so many of them has said it."""
_CERTAIN = 8
"""A value of so many is found inside longer words too."""

_UNITS: tuple[str, ...] = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: tuple[str, ...] = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_IN_WORDS = re.compile(
    # A single "one" is hardly ever a number.
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[\s-](?P<unit>{'|'.join(_UNITS[1:10])}))?|(?P<single>zero|{'|'.join(_UNITS[2:])}))\b"
)
_POINT = re.compile(r"(?<=\d)\s+point\s+(?=\d)")
_SYMBOLS = {"dot": ".", "slash": "/", "underscore": "_", "dash": "-", "hyphen": "-", "colon": ":", "comma": ","}
_SYMBOL = re.compile(rf"\b(?:{'|'.join(_SYMBOLS)})\b")
_NUMBER = re.compile(r"[^\w.-]*-?(\d+(?:,\d{3})*(?:\.\d+)?)[^\w]*")


def spelled_in(text: str) -> str:
    """Normalise the spelling of a text, for matching with `pattern_of`."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = _IN_WORDS.sub(_digits, _SYMBOL.sub(lambda found: _SYMBOLS[found[0]], plain))
    return _POINT.sub(".", plain)


def number_in(text: str) -> str | None:
    """The number that a text is, with at most a sign or a unit of one character around it."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else found[1].replace(",", "")


@lru_cache(maxsize=4_096)
def pattern_of(value: str) -> re.Pattern[str]:
    """A pattern that finds a value in a text from `spelled_in`."""
    number = number_in(value)
    if number is not None:
        return re.compile(_of_number(number))
    letters = [char for char in unicodedata.normalize("NFKC", value).casefold() if char.isalnum()][:_LONGEST]
    body = r"[\W_]*".join(re.escape(char) for char in letters)
    return re.compile(body if len(letters) >= _CERTAIN else rf"(?<![^\W_]){body}(?![^\W_])")


def _of_number(number: str) -> str:
    whole, _, part = number.partition(".")
    digits = r"[\s,.']?".join(whole)
    part = part.rstrip("0")
    rest = rf"\s*[.,]\s*{part}0*" if part else r"(?:[.,]0+)?"
    return rf"(?<!\d)(?<!\d[.,]){digits}{rest}(?!\d)(?![.,]\d)"


def _digits(found: re.Match[str]) -> str:
    if found["single"]:
        return str(_UNITS.index(found["single"]))
    unit = _UNITS.index(found["unit"]) if found["unit"] else 0
    return str(20 + 10 * _TENS.index(found["tens"]) + unit)
