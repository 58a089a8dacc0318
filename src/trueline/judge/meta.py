"""How a judgment came about: what stands in `judgment.meta.json`."""

from __future__ import annotations

from datetime import datetime

from trueline.records.base import Count, Digest, Record, Seconds
from trueline.records.episode import TaskKind
from trueline.records.judgment import Judgment
from trueline.records.setting import Sampling
from trueline.records.usage import NO_USAGE, Usage


class JudgmentMeta(Record):
    """Everything about a judgment that its four keys do not say."""

    schema_version: int = 1
    trueline: str
    time: datetime
    judge_model: str
    """As it was named, with its provider."""
    judge_type: str
    version: str
    vote: Count = 1
    category: TaskKind | None = None
    judgment: Judgment | None = None
    """The four keys again; `None` when there is no judgment."""
    violation_quote: str | None = None
    """The words of the step that version 4 calls a violation."""
    observation_type: str | None = None
    caption_model: str | None = None
    sampling: Sampling | None = None
    answered_by: str = ""
    """The model as its provider reports it."""
    prompt_digest: Digest | None = None
    input_digest: Digest | None = None
    """Of all that shaped the answer, pictures by their digests."""
    usage: Usage = NO_USAGE
    caption_usage: Usage = NO_USAGE
    latency_s: Seconds = 0.0
    attempts: Count = 0
    cached: bool = False
    members: tuple[str, ...] = ()
    """Of a panel: what each one said."""
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
