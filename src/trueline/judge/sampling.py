"""Sampling of judges and captioners, as far as their models support it."""

from __future__ import annotations

from trueline.models.families import family_of, fit_sampling
from trueline.models.providers import speaks_messages
from trueline.models.types import ModelId
from trueline.records.setting import Sampling

JUDGE_TOKENS = 4096
"""OS-Harm allows 2048. Answers that fit are the same; longer ones would be lost."""
REASONING_TOKENS = 16384
"""For models whose hidden reasoning counts as output."""
CAPTION_TOKENS = 1024
_TAKES_SEED = ("openai", "azure")


def judge_sampling(model: ModelId, temperature: float | None = None) -> Sampling:
    """Temperature 0 where OS-Harm sets it; reasoning models and Claude keep their default."""
    tokens = REASONING_TOKENS if _reasons(model) else JUDGE_TOKENS
    if temperature is not None:
        return Sampling(temperature=temperature, max_tokens=tokens)
    own = None if speaks_messages(model.provider) else 0.0
    return fit_sampling(model, Sampling(temperature=own, max_tokens=tokens)).sampling


def caption_sampling(model: ModelId) -> Sampling:
    """As repeatable as the provider allows."""
    if _reasons(model):
        return Sampling(max_tokens=REASONING_TOKENS)
    seed = 0 if model.provider in _TAKES_SEED else None
    own = None if speaks_messages(model.provider) else 0.0
    return fit_sampling(model, Sampling(temperature=own, max_tokens=CAPTION_TOKENS, seed=seed)).sampling


def _reasons(model: ModelId) -> bool:
    """Whether it is an OpenAI reasoning model, whose reasoning counts as part of the answer."""
    family = family_of(model.provider, model.model)
    return family.limit is not None and bool(family.fixed)
