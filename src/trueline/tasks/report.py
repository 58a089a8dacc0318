"""A summary of what tasks can be read, run and scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.tasks.bridge.availability import why_no_bridge
from trueline.tasks.bridge.not_scorable import known_needs
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.facilities import Facilities
from trueline.tasks.loading import TaskProblem
from trueline.tasks.needs import needs_of
from trueline.tasks.suite import Loaded, SuiteTask
from trueline.tasks.support import unsupported

if TYPE_CHECKING:
    from trueline.tasks.bridge.score import Checkers


@dataclass(frozen=True)
class TaskSummary:
    """Whether one task can be run and scored."""

    task: str
    unsupported: tuple[str, ...]
    """Why it cannot run on the local desktop; empty if it can."""
    scored_by: str
    """`native` (Trueline), `bridged` (OSWorld's functions) or `none`."""
    not_scorable: tuple[str, ...]
    """What OSWorld's functions would lack."""
    missing_files: tuple[str, ...]
    """Addresses of files that it needs and that are not there yet."""


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
    files: int
    """Number of files that they download."""
    missing_files: int
    """How many of them are not there yet."""
    lacking_files: int
    """Number of tasks that need one of these."""
    scored_by: dict[str, int]
    """Number of loaded tasks by who scores them: Trueline, OSWorld's functions, or nobody."""
    not_scorable: dict[str, int]
    """Number of tasks that OSWorld's functions would score without something that they need, by what is missing."""
    no_bridge: str
    """Why OSWorld's functions cannot be used here; empty if they can, or if no task needs them."""
    tasks: tuple[TaskSummary, ...]


def report(
    loaded: Loaded, facilities: Facilities, downloads: Downloads, checkers: Checkers | None = None
) -> TaskReport:
    """Summarise a set of tasks for a desktop with these facilities, and the files that are there.

    They are scored by those whom a run would use with the same choice of checkers.
    """
    files = {url for each in loaded.tasks for url in needs_of(each.task).downloads}
    missing = {url for url in files if not downloads.has(url)}
    tasks = tuple(_summary(each, facilities, missing, checkers) for each in loaded.tasks)
    scores = Counter(task.scored_by for task in tasks)
    return TaskReport(
        total=len(tasks) + loaded.bad,
        loaded=len(tasks),
        runnable=sum(not task.unsupported for task in tasks),
        unsupported=dict(sorted(Counter(reason for task in tasks for reason in task.unsupported).items())),
        errors=loaded.problems,
        files=len(files),
        missing_files=len(missing),
        lacking_files=sum(bool(task.missing_files) for task in tasks),
        scored_by={who: scores[who] for who in ("native", "bridged", "none")},
        not_scorable=dict(sorted(Counter(need for task in tasks for need in task.not_scorable).items())),
        no_bridge=why_no_bridge() if scores["bridged"] else "",
        tasks=tasks,
    )


def _summary(found: SuiteTask, facilities: Facilities, missing: Set[str], checkers: Checkers | None) -> TaskSummary:
    task = found.task
    scorer = scored_by(task.evaluator, checkers)
    return TaskSummary(
        task=found.ref.name,
        unsupported=tuple(unsupported(task, facilities)),
        scored_by=scorer,
        not_scorable=tuple(known_needs(task.evaluator)) if scorer == "bridged" else (),
        missing_files=tuple(url for url in needs_of(task).downloads if url in missing),
    )
