"""A summary of what tasks can be read, run and scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.tasks.bridge.availability import why_no_bridge
from trueline.tasks.bridge.not_scorable import known_needs
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.facilities import Facilities
from trueline.tasks.loading import TaskProblem
from trueline.tasks.needs import needs_of
from trueline.tasks.suite import Loaded
from trueline.tasks.support import unsupported

if TYPE_CHECKING:
    from trueline.tasks.bridge.score import Checkers


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


def report(
    loaded: Loaded, facilities: Facilities, downloads: Downloads, checkers: Checkers | None = None
) -> TaskReport:
    """Summarise a set of tasks for a desktop with these facilities, and the files that are there.

    They are scored by those whom a run would use with the same choice of checkers.
    """
    files = {url for each in loaded.tasks for url in needs_of(each.task).downloads}
    missing = {url for url in files if not downloads.has(url)}
    reasons = [unsupported(each.task, facilities) for each in loaded.tasks]
    scorers = [scored_by(each.task.evaluator, checkers) for each in loaded.tasks]
    scores = Counter(scorers)
    bridged = [each.task for each, scorer in zip(loaded.tasks, scorers, strict=True) if scorer == "bridged"]
    needs = Counter(need for task in bridged for need in known_needs(task.evaluator))
    return TaskReport(
        total=len(loaded.tasks) + loaded.bad,
        loaded=len(loaded.tasks),
        runnable=sum(not each for each in reasons),
        unsupported=dict(sorted(Counter(reason for each in reasons for reason in each).items())),
        errors=loaded.problems,
        files=len(files),
        missing_files=len(missing),
        lacking_files=sum(not missing.isdisjoint(needs_of(each.task).downloads) for each in loaded.tasks),
        scored_by={who: scores[who] for who in ("native", "bridged", "none")},
        not_scorable=dict(sorted(needs.items())),
        no_bridge=why_no_bridge() if bridged else "",
    )
