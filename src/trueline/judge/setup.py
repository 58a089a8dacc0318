"""What all judges share: the models, the captioner and the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trueline.judge.captions import Captioner
from trueline.judge.types import Judge, ObservationType
from trueline.models.types import Model
from trueline.records.task_texts import TaskTexts, no_task_texts


@dataclass(frozen=True)
class JudgeSetup:
    """What all judges share."""

    judges: Sequence[Judge]
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """By name; answers may come from a cache."""
    fresh: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """The same models without a cache."""
    captioner: Captioner | None = None
    caption_model: str | None = None
    observation_type: ObservationType | None = None
    """`None` for what the agent itself saw."""
    temperature: float | None = None
    """`None` for 0 where the model supports it."""
    again: bool = False
    """Judge again what is judged already, and ignore the cache."""
    task_texts: TaskTexts = no_task_texts
