"""Patterns of rules: `*` and `?` over folded text, never a regular expression that a hostile text could stall."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache

from trueline.guard.policy.folding import key


@lru_cache(maxsize=1024)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # fnmatch writes stars as atomic groups, so matching takes no more than length times stars.
    return re.compile("|".join(fnmatch.translate(key(pattern)) for pattern in patterns))


def matches(text: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether a text fits one of the patterns."""
    return bool(patterns) and _compiled(patterns).match(key(text)) is not None
