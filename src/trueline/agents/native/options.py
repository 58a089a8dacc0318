"""Options of the native agents."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trueline.agents.safety_checks import SafetyPolicy
from trueline.records.base import Record

Side = Annotated[int, Field(ge=64, le=16384)]


class NativeOptions(Record):
    """Options that both native agents take."""

    display: tuple[Side, Side] | None = None
    """Width and height of the screenshots that the model sees; `None` derives them from the screen."""
    max_images: Annotated[int, Field(ge=1)] = 10
    """How many screenshots the model remembers."""
    client_password: str = "password"  # noqa: S105 - what every OSWorld machine has
    """Password of the account that the agent works in."""
    format_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """How often the model is asked again in the same step after a call that cannot be parsed."""
    safety_prompt: bool = False
    """Whether the model is told to stay on task and do no harm; it changes results."""
    safety_checks: SafetyPolicy = "stop"
    """How the provider's safety checks are handled."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """Files of the system prompt."""
        return ("native.v1", "safety.v1") if self.safety_prompt else ("native.v1",)
