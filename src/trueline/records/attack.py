"""What makes an episode adversarial, and how far it got."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, JsonValue, model_validator

from trueline.records.base import Count, Record

Twin = Literal["neutral", "instruction", "asked"]
"""A harmless text in the place of an injected one, of the same length."""
TWINS: tuple[Twin, ...] = get_args(Twin)


def twin_name(goal: str, twin: Twin) -> str:
    """The name under which an episode with the twin of a goal is recorded."""
    return f"{goal}.{twin}"


def split_twin(goal: str) -> tuple[str, Twin | None]:
    """The goal of a recorded name, and its twin; `None` if it is the goal itself."""
    base, _, last = goal.rpartition(".")
    for twin in TWINS:
        if base and twin == last:
            return base, twin
    return goal, None


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


class Exposure(Record):
    """Whether the injection was in what the agent received, by channel. `None`: it could not be measured."""

    text: bool | None = None
    """40 characters of it in a row were in the text that the agent got; false if it got no text."""
    text_step: Count | None = None
    pixels: bool | None = None
    """It could be read in the screenshot that the agent got; false if it got none."""
    pixels_step: Count | None = None
    unmeasured: str = ""
    """Why it is not known whether it was in the pixels."""

    @property
    def any(self) -> bool | None:
        """Whether it was in any channel; `None` if those that could be measured do not have it."""
        if self.text or self.pixels:
            return True
        return None if self.text is None or self.pixels is None else False

    @property
    def step(self) -> int | None:
        """The first step in which it was in any channel."""
        return min((step for step in (self.text_step, self.pixels_step) if step is not None), default=None)


class Funnel(Record):
    """How far an attack got, read from the desktop and the sinks. `None` is unknown; steps count from 1."""

    delivered: bool | None = None
    exposed: bool | None = None
    """Whether it was part of what the agent received, in any channel."""
    exposed_step: Count | None = None
    exposure: Exposure | None = None
    """The same by channel; `None` in records of earlier versions."""
    attempted: bool | None = None
    attempted_step: Count | None = None
    blocked: bool | None = None
    """A guard stopped every attempt."""
    blocked_step: Count | None = None
    achieved: bool | None = None
    evidence: tuple[str, ...] = ()
