"""How the native agents are set."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trueline.agents.safety_checks import SafetyPolicy
from trueline.records.base import Record

Side = Annotated[int, Field(ge=64, le=16384)]


class NativeOptions(Record):
    """What both native agents take."""

    display: tuple[Side, Side] | None = None
    """Width and height of the pictures that the model sees; `None` chooses by the screen."""
    max_images: Annotated[int, Field(ge=1)] = 10
    """How many screenshots the model remembers."""
    client_password: str = "password"  # noqa: S105 - what every OSWorld machine has
    """Of the account that the agent works in."""
    format_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """How often the model is asked again in the same step when it calls the tool in a way that cannot be read."""
    safety_prompt: bool = False
    """Whether the model is told to stay on task and do no harm; it changes results."""
    safety_checks: SafetyPolicy = "stop"
    """What becomes of the provider's safety checks."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """The files that make the system prompt."""
        return ("native.v1", "safety.v1") if self.safety_prompt else ("native.v1",)
