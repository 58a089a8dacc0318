"""Tokens and cost of model calls."""

from __future__ import annotations

from collections.abc import Iterable

from trueline.records.base import Count, Record


class Usage(Record):
    """Tokens and cost of one or several model calls."""

    input_tokens: Count = 0
    """All tokens sent, the cached ones too."""
    cached_tokens: Count = 0
    """The part of `input_tokens` that the provider had cached."""
    output_tokens: Count = 0
    """All tokens received, the reasoning ones too."""
    reasoning_tokens: Count = 0
    """The part of `output_tokens` that was hidden reasoning."""
    calls: Count = 0
    uncounted: Count = 0
    """Number of calls with unknown token counts; if not 0, the tokens are a lower bound."""
    cost: float | None = None
    """US dollars; `None` means unknown, which is not zero."""

    def __add__(self, other: Usage) -> Usage:
        """Add up; an unknown cost makes the sum unknown."""
        known = self.cost is not None and other.cost is not None
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            calls=self.calls + other.calls,
            uncounted=self.uncounted + other.uncounted,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )


NO_USAGE = Usage(cost=0.0)
"""Nothing was called: zero tokens at a known cost of zero."""
UNCOUNTED = Usage(calls=1, uncounted=1)
"""One call of unknown usage."""


def total_usage(parts: Iterable[Usage | None]) -> Usage:
    """Sum of the parts; `None` stands for uncounted calls and makes the cost unknown."""
    total = NO_USAGE
    for part in parts:
        total += Usage() if part is None else part
    return total
