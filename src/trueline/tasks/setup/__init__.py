"""Setup steps: what prepares a desktop for a task."""

from trueline.tasks.setup.errors import StepError
from trueline.tasks.setup.run_steps import StepReport, run_steps

__all__ = ["StepError", "StepReport", "run_steps"]
