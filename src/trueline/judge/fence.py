"""Marks around everything that comes from a record, so that nothing in it can pass for the judge's own instructions.

The mark holds a hash of all the texts it is put around. Whoever wrote one of them would have had to write the hash of
a text that holds that very hash, so no text can close its own fence or open another. The same record gives the same
mark: requests stay repeatable, and answers can be found in a cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

_LENGTH = 20
"""Hex digits, 80 bits."""


@dataclass(frozen=True)
class Fence:
    """Marks for the texts of one call."""

    mark: str

    @staticmethod
    def around(texts: Iterable[str], *, call: str = "") -> Fence:
        """Make the marks for these texts.

        Args:
            texts: Everything that will stand inside of the fence.
            call: What else tells this call from others.
        """
        inside = list(texts)
        seed = json.dumps([call, inside])
        mark = sha256(seed.encode()).hexdigest()[:_LENGTH]
        while any(mark in text for text in inside):
            mark = sha256(f"{mark}{seed}".encode()).hexdigest()[:_LENGTH]
        return Fence(mark)

    def put(self, label: str, text: str) -> str:
        """Return the text between its marks; `label` is ours and says what it is."""
        return f"<<<record {self.mark} {label}>>>\n{text}\n<<<end {self.mark}>>>"
