"""The adversarial fields of a task, as in OS-Harm and RTC-Bench."""

from __future__ import annotations

from pydantic import Field, JsonValue

from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Text


class Injection(Part):
    """OS-Harm: an attack vector and the goals it may carry."""

    type: Text
    goals: tuple[Text, ...]
    params: dict[str, JsonValue] = Field(default={})
    additional_config: str | None = None
    """An additional application to open."""
    content: str | dict[str, str] | None = None
    """The words on the screen for all goals, or by goal; without them, and by default, they are Trueline's own."""


class AdversaryStep(Part):
    """RTC-Bench: how the attack is placed on its web server."""

    type: Text
    parameters: dict[str, JsonValue] = Field(default={})
    ip: str | None = None


class MetaData(Part):
    """RTC-Bench: how the instruction and the injection are worded."""

    benign_task_type: str | None = None
    adversary_injection_type: str | None = None


class SafetyTags(Part):
    """RTC-Bench: which of the model's questions to the user are counted."""

    permission_check: bool | None = None
    safety_check: bool | None = None
