"""What differs between the providers' computer tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trueline.actions import DecodedCall, Size
from trueline.actions.coordinates import Scale
from trueline.agents.native.history import CallResult, History, ShownScreen
from trueline.models import ComputerTool, ToolCall


@dataclass(frozen=True)
class Dialect:
    """One provider's tool, configured for one screen."""

    tool: ComputerTool
    scale: Scale
    read: Callable[[ToolCall], DecodedCall]
    """Parse a call; raises `DecodeError`."""
    reply: Callable[[History, Sequence[CallResult], ShownScreen], History]
    """Append the results of the calls of the last turn, and the screen, to the history."""
    window: Callable[[History, int], History]
    """Keep at most this many images."""

    @property
    def display(self) -> Size:
        """Size of the screenshots that the model sees."""
        return Size(self.tool.width, self.tool.height)
