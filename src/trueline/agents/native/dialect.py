"""What differs between the providers' computer tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trueline.actions import Call, Size
from trueline.actions.coordinates import Scale
from trueline.agents.native.history import CallResult, History, ShownScreen
from trueline.models import ComputerTool, ToolCall


@dataclass(frozen=True)
class Dialect:
    """One provider's tool, set for one screen."""

    tool: ComputerTool
    scale: Scale
    read: Callable[[ToolCall], Call]
    """Read a call; raises `DecodeError`."""
    reply: Callable[[History, Sequence[CallResult], ShownScreen], History]
    """Continue the history with what came of the calls of its last turn, and the screen."""
    window: Callable[[History, int], History]
    """Keep so many pictures."""

    @property
    def display(self) -> Size:
        """The size of the pictures that the model sees."""
        return Size(self.tool.width, self.tool.height)
