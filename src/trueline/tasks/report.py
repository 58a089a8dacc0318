"""A summary of what tasks can be read, run and scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from trueline.tasks.checkers import scored_by
from trueline.tasks.facilities import Facilities
from trueline.tasks.loading import TaskProblem
from trueline.tasks.suite import Loaded
from trueline.tasks.support import unsupported


@dataclass(frozen=True)
class TaskReport:
    """How many tasks can be read, run and scored."""

    total: int
    loaded: int
    runnable: int
    """On the local desktop."""
    unsupported: dict[str, int]
    """Number of tasks that cannot run, by reason; a task may have several reasons."""
    errors: tuple[TaskProblem, ...]
    scored_by: dict[str, int]
    """Number of loaded tasks by who scores them: Trueline, OSWorld's functions, or nobody."""


def report(loaded: Loaded, facilities: Facilities) -> TaskReport:
    """Summarise a set of tasks for a desktop with these facilities."""
    reasons = [unsupported(each.task, facilities) for each in loaded.tasks]
    scores = Counter(scored_by(each.task.evaluator) for each in loaded.tasks)
    return TaskReport(
        total=len(loaded.tasks) + loaded.bad,
        loaded=len(loaded.tasks),
        runnable=sum(not each for each in reasons),
        unsupported=dict(sorted(Counter(reason for each in reasons for reason in each).items())),
        errors=loaded.problems,
        scored_by={who: scores[who] for who in ("native", "bridged", "none")},
    )
