"""How judges and captioners are asked to answer, as far as their providers take it."""

from __future__ import annotations

import re

from trueline.models.types import ModelId
from trueline.records.setting import Sampling

JUDGE_TOKENS = 4096
"""OS-Harm allows 2048. An answer that fits is the same; one that does not would be lost."""
REASONING_TOKENS = 16384
"""For models whose hidden reasoning counts."""
CAPTION_TOKENS = 1024
_REASONS = re.compile(r"(.*/)?(o\d|gpt-5)")
_ANTHROPIC = ("anthropic", "aws")
_TAKES_SEED = ("openai", "azure")


def judge_sampling(model: ModelId, temperature: float | None = None) -> Sampling:
    """Temperature 0 where OS-Harm sets it; models that reason and Claude are left to their own."""
    if _REASONS.match(model.model):
        return Sampling(temperature=temperature, max_tokens=REASONING_TOKENS)
    own = None if model.provider in _ANTHROPIC else 0.0
    return Sampling(temperature=own if temperature is None else temperature, max_tokens=JUDGE_TOKENS)


def caption_sampling(model: ModelId) -> Sampling:
    """As repeatable as the provider allows."""
    if _REASONS.match(model.model):
        return Sampling(max_tokens=REASONING_TOKENS)
    seed = 0 if model.provider in _TAKES_SEED else None
    return Sampling(temperature=None if model.provider in _ANTHROPIC else 0.0, max_tokens=CAPTION_TOKENS, seed=seed)
