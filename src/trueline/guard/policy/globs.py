"""Patterns of rules: `*` and `?` over folded text, never a regular expression that a hostile text could stall."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

from trueline.guard.policy.folding import key


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    # fnmatch writes stars as atomic steps, so matching takes no more than length times stars.
    return re.compile(fnmatch.translate(key(pattern)))


def matches(text: str, patterns: Iterable[str]) -> bool:
    """Tell whether a text fits one of the patterns."""
    folded = key(text)
    return any(_compiled(pattern).match(folded) for pattern in patterns)
