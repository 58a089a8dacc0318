"""Which answers may be kept, and under which key."""

from __future__ import annotations

import hashlib

from trueline.models.canonical import canonical_json
from trueline.models.types import Answer, ModelId, Purpose, Request

KEY_SCHEME = 1
"""Incremented when the same request is written differently on the wire; older answers are then no longer found."""

NEVER_CACHED: frozenset[Purpose] = frozenset({"agent", "user_sim"})
"""Repeats of an episode must be real, at any temperature. All other purposes make something out of a given record."""


def may_cache(request: Request) -> bool:
    """Say whether an answer to this request may come from a cache."""
    return request.purpose not in NEVER_CACHED


def worth_keeping(request: Request, answer: Answer) -> bool:
    """Say whether the answer may be given again: whole, and of the form asked for.

    A refusal or a filter may be gone the next time, so it is asked again like a truncated answer.
    """
    return answer.complete and (request.expects is None or answer.parsed is not None)


def cache_key(model: ModelId, request: Request) -> bytes:
    """Return the hash of everything that shapes the answer: model, server, request and sample number."""
    data = canonical_json([KEY_SCHEME, model.provider, model.model, model.url, request.shape()])
    return hashlib.sha256(data.encode("ascii")).digest()
