"""Bearer tokens of a server."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from trueline.errors import InputError

MIN_TOKEN = 16


def new_token() -> str:
    """Return a random token of 256 bits."""
    return secrets.token_urlsafe(32)


class Tokens:
    """The tokens that a server accepts. Only their digests are kept."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Take the tokens.

        Raises:
            InputError: There is none, or one is too short or has characters that a header cannot carry.
        """
        if not tokens or not all(map(_is_token, tokens)):
            raise InputError(f"token: give one of at least {MIN_TOKEN} printable ASCII characters without spaces")
        self._digests = [_digest(token) for token in tokens]

    def owner(self, authorization: str) -> int | None:
        """Return the number of the token in the header, or None if it is not valid.

        All tokens are compared, each in constant time, so that the time reveals nothing about them.
        """
        scheme, _, token = authorization.partition(" ")
        given = _digest(token.strip())
        found = [number for number, digest in enumerate(self._digests) if hmac.compare_digest(digest, given)]
        return found[0] if found and scheme.lower() == "bearer" else None


def _is_token(token: str) -> bool:
    return len(token) >= MIN_TOKEN and token.isascii() and token.isprintable() and " " not in token


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
