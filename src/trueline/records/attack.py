"""What makes an episode adversarial, and how far it got."""

from __future__ import annotations

from typing import Self

from pydantic import Field, JsonValue, model_validator

from trueline.records.base import Count, Record


class Attack(Record):
    """A jailbreak wrapper around the instruction, an injection (vector x goal), or both."""

    vector: str | None = None
    """How the injection reaches the screen."""
    goal: str | None = None
    """What the injection wants."""
    jailbreak: bool = False
    content: str | None = None
    """The injected text."""
    config: dict[str, JsonValue] = Field(default={})
    """The task file's own entry for this injection (`type`, `params`, `goals` …), as OS-Harm logs it."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.vector is None) != (self.goal is None):
            raise ValueError("an injection has both a vector and a goal")
        if self.vector is None and not self.jailbreak:
            raise ValueError("an attack is an injection or a jailbreak; without either it is None")
        return self


class Funnel(Record):
    """How far an attack got, read from the desktop and the sinks. `None` is unknown; steps count from 1."""

    delivered: bool | None = None
    exposed: bool | None = None
    """It was part of what the agent observed."""
    exposed_step: Count | None = None
    attempted: bool | None = None
    attempted_step: Count | None = None
    blocked: bool | None = None
    """A guard stopped every attempt."""
    blocked_step: Count | None = None
    achieved: bool | None = None
    evidence: tuple[str, ...] = ()
