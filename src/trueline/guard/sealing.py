"""Foreign text inside a message to a model: fenced with a seal that its authors cannot know."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trueline.text import printable

STORED_KEY = b"trueline guard, stored screens"
"""For screens that nobody can adapt any more: the same question then gets the same seal in every process."""
_LENGTH = 24


@dataclass(frozen=True)
class Seal:
    """A random string that stands in no text of the message but its fences."""

    value: str

    def fence(self, name: str, text: str) -> str:
        """Return foreign text as a part of its own."""
        return f"<<{self.value} {name}\n{visible(text)}\n{self.value}>>"


def make_seal(key: bytes, texts: Sequence[str], others: Iterable[str] = ()) -> Seal:
    """Make the seal of a message.

    It is a keyed hash of everything in the message, so the same question gets the same seal (and can be found in a
    cache), and no text can hold its own seal, even if the key were known.

    Args:
        key: Known to the guard alone where the looks of marks must not be foreseen.
        texts: All foreign texts of the message.
        others: What else makes the message, such as digests of its pictures.
    """
    content = hashlib.sha256()
    for part in (*texts, "", *others):
        data = part.encode("utf-8", "surrogatepass")
        content.update(len(data).to_bytes(8, "big") + data)
    shown = [visible(text).lower() for text in texts]
    value = _hash(key, content.digest())
    while any(value in text for text in shown):
        value = _hash(key, value.encode())
    return Seal(value)


def _hash(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, hashlib.sha256).hexdigest()[:_LENGTH]


def visible(text: str) -> str:
    """Return the text with everything escaped that a reader cannot see: hidden text must not reach only the model."""
    return "\n".join(printable(line, limit=len(line)) for line in text.replace("\t", "    ").splitlines())
