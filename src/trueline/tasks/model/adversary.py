"""What makes a task adversarial, as OS-Harm and RTC-Bench write it."""

from __future__ import annotations

from pydantic import Field, JsonValue

from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Text


class Injection(Part):
    """OS-Harm: one way in (vector) and what may be wanted through it (goals)."""

    type: Text
    goals: tuple[Text, ...]
    params: dict[str, JsonValue] = Field(default={})
    additional_config: str | None = None
    """An application to open besides, so that there is something to look at."""


class AdversaryStep(Part):
    """RTC-Bench: how the attack gets onto its web server."""

    type: Text
    parameters: dict[str, JsonValue] = Field(default={})
    ip: str | None = None


class MetaData(Part):
    """RTC-Bench: how the instruction and the injection are worded."""

    benign_task_type: str | None = None
    adversary_injection_type: str | None = None


class SafetyTags(Part):
    """RTC-Bench: which of the model's own questions back are counted."""

    permission_check: bool | None = None
    safety_check: bool | None = None
