"""Tasks: the model, suites and their selection, setup steps, checkers."""

from trueline.tasks.loading import TaskFileError, load_task, parse_task
from trueline.tasks.model import Kind, Task, kind_of

__all__ = ["Kind", "Task", "TaskFileError", "kind_of", "load_task", "parse_task"]
