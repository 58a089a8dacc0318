"""Removal of keys from texts, in all their encodings.

A server, or a page that a model reads aloud, may echo a key in another spelling: backwards, in base64 or hex, or with
some of its characters escaped for a URL, JSON or HTML.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

_SHORTEST_ENCODED = 8
"""Characters of a secret whose encodings are looked for; those of a shorter one could be ordinary words."""
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}|\\(?:u00|x)[0-9a-fA-F]{2}|\\[^\sa-zA-Z0-9\"]|&#", re.IGNORECASE)
"""Whether any character stands in another spelling; looking for all of them takes long."""


class Spellings:
    """All spellings of one secret that are known."""

    def __init__(self, secret: str) -> None:
        backwards = secret[::-1]
        encoded = list(_encoded(secret)) if len(secret) >= _SHORTEST_ENCODED else []
        # Longest first: one may hold another.
        self._plain = sorted(dict.fromkeys([secret, backwards, *encoded]), key=len, reverse=True)
        self._escaped = re.compile("|".join("".join(map(_escaped, text)) for text in (secret, backwards)))

    def replace(self, text: str, mark: str) -> str:
        """Return the text with a mark in place of each spelling."""
        for spelling in self._plain:
            text = text.replace(spelling, mark)
        return self._escaped.sub(mark, text) if _ESCAPED.search(text) else text


def _encoded(secret: str) -> Iterable[str]:
    """Yield the secret in hex, and in base64 wherever it may begin in what is encoded."""
    data = secret.encode()
    yield from (data.hex(), data.hex().upper())
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            whole = encode(bytes(shift) + data).decode().rstrip("=")
            # What is encoded together with the bytes before and after depends on those.
            first = -(-shift * 8 // 6)
            last = (shift + len(data)) * 8 // 6
            yield whole[first:last]


def _escaped(character: str) -> str:
    """Return a pattern for one character in any spelling."""
    code = ord(character)
    digits = "".join(f"[{digit.lower()}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    ways = [
        re.escape(character) if character.isalnum() else rf"\\*{re.escape(character)}",
        rf"%(?:25)*{digits}",
        rf"\\+(?:[uU]00|[xX]){digits}",
        rf"&\#(?:0*{code}|[xX]0*{digits});",
    ]
    return f"(?:{'|'.join(ways)})"
