"""Canonical JSON, for cache keys and recordings."""

from __future__ import annotations

import json

from pydantic import JsonValue


def canonical_json(data: JsonValue) -> str:
    """Return the data as JSON with sorted keys, no spaces, ASCII only.

    The standard library is used because lone surrogates and very large integers, both of which can come out of a
    model or a screen, stop the faster encoders.

    Raises:
        ValueError: The data contain NaN or infinity, which JSON does not have.
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
