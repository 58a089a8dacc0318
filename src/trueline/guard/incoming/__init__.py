"""Input from callers: actions in any vocabulary, screenshots, accessibility trees. All of it is untrusted."""

from trueline.guard.incoming.action import FORMATS, ActionFormat, read_proposal
from trueline.guard.incoming.screen import read_observation

__all__ = [
    "FORMATS",
    "ActionFormat",
    "read_observation",
    "read_proposal",
]
