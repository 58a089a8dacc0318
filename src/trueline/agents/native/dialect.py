"""What differs between the providers' computer tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trueline.actions import Call, Size
from trueline.actions.coordinates import Scale
from trueline.agents.native.story import Outcome, Shown, Story
from trueline.models import ComputerTool, ToolCall


@dataclass(frozen=True)
class Dialect:
    """One provider's tool, set for one screen."""

    tool: ComputerTool
    scale: Scale
    read: Callable[[ToolCall], Call]
    """Read a call; raises `DecodeError`."""
    reply: Callable[[Story, Sequence[Outcome], Shown], Story]
    """Continue the story with what came of the calls of its last turn, and the screen."""
    window: Callable[[Story, int], Story]
    """Keep so many pictures."""

    @property
    def display(self) -> Size:
        """The size of the pictures that the model sees."""
        return Size(self.tool.width, self.tool.height)
