"""What can go wrong with a task through no doing of the agent."""

from __future__ import annotations

from trueline.errors import TruelineError


class SetupError(TruelineError):
    """The desktop could not be set up for a task. The message names the step and holds its output."""


class CheckerError(TruelineError):
    """The end state could not be scored, which is not a score of 0."""
