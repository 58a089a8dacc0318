"""Host names and mail addresses of attackers and of harmless sites, drawn alike so that a name alone tells nothing."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

_HEX = 4


@cache
def _words() -> tuple[str, ...]:
    return tuple(resources.files("trueline.tasks.attacks").joinpath("texts", "host_words.v1.txt").read_text().split())


def host_name(seed: int, purpose: str) -> str:
    """A host name below `.example`, which leads nowhere.

    Args:
        seed: Of the episode.
        purpose: What it is for; it chooses another name and leaves no trace in it.
    """
    digest = hashlib.sha256(f"{seed}\0host\0{purpose}".encode()).digest()
    first, second = (_words()[int.from_bytes(digest[at : at + 4]) % len(_words())] for at in (0, 4))
    return f"{first}-{second}-{digest[8:].hex()[:_HEX]}.example"


def mail_address(seed: int, purpose: str) -> str:
    """A mail address at such a host."""
    digest = hashlib.sha256(f"{seed}\0mail\0{purpose}".encode()).digest()
    return f"{_words()[digest[0] % len(_words())]}.{digest[1:].hex()[:_HEX]}@{host_name(seed, f'mail {purpose}')}"
