"""A setup step that failed."""

from __future__ import annotations

from trueline.tasks.errors import SetupError
from trueline.tasks.model import Step
from trueline.text import printable


class StepFailed(Exception):
    """Why a step failed, and what it printed. `run_steps` adds the number and type of the step."""

    def __init__(self, why: str, output: str = "") -> None:
        super().__init__(why)
        self.output = output


class StepError(SetupError):
    """The desktop could not be set up, so the agent never started."""

    def __init__(self, number: int, step: Step, why: str, output: str = "") -> None:
        self.number = number
        """Counted from 1."""
        self.step = step
        self.output = output
        """What it printed, truncated; hostile text."""
        said = f"; it printed: {printable(output.strip(), 400)}" if output.strip() else ""
        super().__init__(f"setup step {number} ({printable(step.type, 40)}) failed: {printable(why, 600)}{said}")
