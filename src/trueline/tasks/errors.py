"""Errors of a task that are not the agent's doing."""

from __future__ import annotations

from trueline.errors import TruelineError


class SetupError(TruelineError):
    """The desktop could not be set up for a task. The message names the step and includes its output."""


class CheckerError(TruelineError):
    """The end state could not be scored. That is not a score of 0."""
