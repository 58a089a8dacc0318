"""Set-up steps done on a desktop."""

from trueline.tasks.setup.errors import StepError
from trueline.tasks.setup.run import StepReport, run_steps

__all__ = ["StepError", "StepReport", "run_steps"]
