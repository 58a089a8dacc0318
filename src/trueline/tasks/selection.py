"""Which tasks of a suite: one meaning of the selection flags for every command that takes them."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from trueline.errors import InputError
from trueline.tasks.model import Kind
from trueline.tasks.suite import Loaded, Suite, SuiteTask, TaskRef, load_refs

ALL = "all"


@dataclass(frozen=True)
class Selection:
    """All conditions hold together; the order of the index is kept."""

    domain: str = ALL
    only: tuple[str, ...] = ()
    """Patterns for `domain/id` or the id alone; one that matches is enough."""
    kinds: tuple[Kind, ...] = ()
    sample: int | None = None
    """So many, drawn by the seed; the choice does not depend on the order of the index."""
    seed: int = 0
    limit: int | None = None
    """The first so many of what is left: tasks, however often each is repeated."""


def select(suite: Suite, selection: Selection) -> Loaded:
    """Read the tasks of a suite that are selected.

    Raises:
        InputError: Nothing is selected, or there is no such domain.
    """
    loaded = load_refs(narrow(suite, selection))
    tasks = pick(loaded.tasks, selection)
    if not tasks and not loaded.problems:
        raise InputError(f"no task of {suite.name} is left by --domain, --only, --kind, --sample and --limit")
    return Loaded(tasks, loaded.problems, loaded.bad)


def narrow(suite: Suite, selection: Selection) -> tuple[TaskRef, ...]:
    """What domain and patterns leave; no file is read."""
    if selection.domain != ALL and selection.domain not in suite.domains:
        raise InputError(f"--domain {selection.domain}: {suite.name} has {', '.join(suite.domains)}")
    return tuple(
        ref
        for ref in suite.refs
        if selection.domain in (ALL, ref.domain)
        and (not selection.only or any(_matches(ref, pattern) for pattern in selection.only))
    )


def pick(tasks: Sequence[SuiteTask], selection: Selection) -> tuple[SuiteTask, ...]:
    """What kind, sample and limit leave."""
    left = [task for task in tasks if not selection.kinds or task.kind in selection.kinds]
    if selection.sample is not None:
        ranked = sorted((_rank(task.ref, selection.seed), place) for place, task in enumerate(left))
        places = {place for _, place in ranked[: selection.sample]}
        left = [task for place, task in enumerate(left) if place in places]
    return tuple(left[: selection.limit])


def _matches(ref: TaskRef, pattern: str) -> bool:
    return fnmatch.fnmatchcase(ref.name, pattern) or fnmatch.fnmatchcase(ref.id, pattern)


def _rank(ref: TaskRef, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{ref.name}".encode()).digest()
