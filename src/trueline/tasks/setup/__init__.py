"""Setup steps: what prepares a desktop for a task."""

from trueline.tasks.setup.run_steps import run_steps

__all__ = ["run_steps"]
