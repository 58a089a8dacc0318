"""Input from callers: actions in any vocabulary, screenshots, accessibility trees. All of it is untrusted."""

from trueline.guard.incoming.action import FORMATS, ActionFormat, read_actions, read_proposal
from trueline.guard.incoming.screen import read_observation, read_screenshot

__all__ = ["FORMATS", "ActionFormat", "read_actions", "read_observation", "read_proposal", "read_screenshot"]
