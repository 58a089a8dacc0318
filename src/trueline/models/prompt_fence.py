"""Fences around foreign text inside a prompt, so that nothing in it can pass for instructions of ours.

Each fence carries a mark: a hash of all the texts that it is put around. Whoever wrote one of them would have had to
write the hash of a text that holds that very hash, so no text can close its own fence or open another. The same texts
get the same mark: requests stay repeatable, and answers can be found in a cache. A key makes marks unpredictable as
well, for those who show text on a screen and do not see the rest of the prompt.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trueline.text import printable

STORED_KEY = b"trueline guard, stored screens"
"""For screens that nobody can adapt any more: the same question then gets the same mark in every process."""
_KEYED_LENGTH = 24
_RECORD_LENGTH = 20
"""Hex digits, 80 bits."""


@dataclass(frozen=True)
class Fence:
    """How the foreign texts of one message are fenced."""

    mark: str
    """A random string that stands in no text of the message but its fences."""
    opening: str
    """With `{mark}` and `{label}`."""
    closing: str
    shows_hidden: bool
    """Whether characters that a reader cannot see are escaped."""

    def put(self, label: str, text: str) -> str:
        """Return the text inside the fence; `label` is ours and says what the text is."""
        opening = self.opening.format(mark=self.mark, label=label)
        return f"{opening}\n{visible(text) if self.shows_hidden else text}\n{self.closing.format(mark=self.mark)}"


def keyed_fence(key: bytes, texts: Sequence[str], others: Iterable[str] = ()) -> Fence:
    """Make the fence of a guard's message; hidden characters in the texts are escaped.

    Args:
        key: Known to the guard alone where marks must not be foreseen.
        texts: All foreign texts of the message.
        others: What else makes the message, such as digests of its pictures.
    """
    content = hashlib.sha256()
    for part in (*texts, "", *others):
        data = part.encode("utf-8", "surrogatepass")
        content.update(len(data).to_bytes(8, "big") + data)

    def make(data: bytes) -> str:
        return hmac.new(key, data, hashlib.sha256).hexdigest()[:_KEYED_LENGTH]

    shown = [visible(text).lower() for text in texts]
    mark = _absent(make(content.digest()), shown, lambda taken: make(taken.encode()))
    return Fence(mark, "<<{mark} {label}", "{mark}>>", shows_hidden=True)


def record_fence(texts: Iterable[str], *, call: str = "") -> Fence:
    """Make the fence of a judge's message about a record; the texts stay as they are.

    Args:
        texts: All texts of the record in the message.
        call: What else tells this call from others.
    """
    inside = list(texts)
    seed = json.dumps([call, inside])

    def make(data: str) -> str:
        return hashlib.sha256(data.encode()).hexdigest()[:_RECORD_LENGTH]

    mark = _absent(make(seed), inside, lambda taken: make(f"{taken}{seed}"))
    return Fence(mark, "<<<record {mark} {label}>>>", "<<<end {mark}>>>", shows_hidden=False)


def _absent(mark: str, texts: Sequence[str], another: Callable[[str], str]) -> str:
    """The first mark that stands in none of the texts."""
    while any(mark in text for text in texts):
        mark = another(mark)
    return mark


def visible(text: str) -> str:
    """Return the text with everything escaped that a reader cannot see: hidden text must not reach only the model."""
    return "\n".join(printable(line, limit=len(line)) for line in text.replace("\t", "    ").splitlines())
