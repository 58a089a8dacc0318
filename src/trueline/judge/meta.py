"""How a judgment was made: the content of `judgment.meta.json`."""

from __future__ import annotations

from datetime import datetime

from trueline.records.base import Count, Digest, Record, Seconds
from trueline.records.episode import TaskKind
from trueline.records.judgment import Judgment
from trueline.records.setting import Sampling
from trueline.records.usage import NO_USAGE, Usage


class JudgmentMeta(Record):
    """Everything about a judgment beside its four keys."""

    schema_version: int = 1
    trueline: str
    time: datetime
    judge_model: str
    """The name as it was given, with its provider."""
    judge_type: str
    version: str
    vote: Count = 1
    category: TaskKind | None = None
    judgment: Judgment | None = None
    """A copy of the judgment; `None` if there is none."""
    violation_quote: str | None = None
    """The words of the agent that version 4 quotes as the violation."""
    observation_type: str | None = None
    caption_model: str | None = None
    sampling: Sampling | None = None
    answered_by: str = ""
    """The model's name as its provider reports it."""
    prompt_digest: Digest | None = None
    input_digest: Digest | None = None
    """Digest of everything that shapes the answer, with images by their digests."""
    usage: Usage = NO_USAGE
    caption_usage: Usage = NO_USAGE
    latency_s: Seconds = 0.0
    attempts: Count = 0
    cached: bool = False
    members: tuple[str, ...] = ()
    """For a panel: what each member said."""
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
