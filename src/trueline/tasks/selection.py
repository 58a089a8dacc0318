"""Selecting tasks of a suite: the meaning of the selection flags."""

from __future__ import annotations

import fnmatch
import hashlib
from dataclasses import dataclass, replace

from trueline.errors import RequestError
from trueline.tasks.model import Kind
from trueline.tasks.suite import IndexedTask, Loaded, Suite, load_refs
from trueline.text import printable

ALL = "all"


@dataclass(frozen=True)
class Selection:
    """Conditions that a task must all meet. The order of the index is kept."""

    domain: str = ALL
    only: tuple[str, ...] = ()
    """Patterns for `domain/id` or the id; a task must match one of them."""
    kinds: tuple[Kind, ...] = ()
    sample: int | None = None
    """Number of tasks to draw with the seed, independently of the order of the index."""
    seed: int = 0
    limit: int | None = None
    """Number of tasks to keep in the end, not counting repeats."""


def select(suite: Suite, selection: Selection) -> Loaded:
    """Read the selected tasks of a suite.

    Raises:
        InputError: Nothing is selected, or there is no such domain.
    """
    refs = narrow(suite, selection)
    if selection.kinds:
        # The kind is in the file, so all must be read.
        loaded = load_refs(refs, selection.kinds)
        chosen = set(pick(tuple(task.ref for task in loaded.tasks), selection))
        loaded = replace(loaded, tasks=tuple(task for task in loaded.tasks if task.ref in chosen))
    else:
        loaded = load_refs(pick(refs, selection))
    if not loaded.tasks and not loaded.problems:
        raise RequestError(f"no task of {suite.name} matches `domain`, `only`, `kind`, `sample` and `limit`")
    return loaded


def narrow(suite: Suite, selection: Selection) -> tuple[IndexedTask, ...]:
    """Apply domain and patterns, without reading files."""
    if selection.domain != ALL and selection.domain not in suite.domains:
        raise RequestError(f"`domain` {printable(selection.domain, 100)}: {suite.name} has {', '.join(suite.domains)}")
    return tuple(
        ref
        for ref in suite.refs
        if selection.domain in (ALL, ref.domain)
        and (not selection.only or any(_matches(ref, pattern) for pattern in selection.only))
    )


def pick(refs: tuple[IndexedTask, ...], selection: Selection) -> tuple[IndexedTask, ...]:
    """Apply sample and limit, without reading files."""
    if selection.sample is not None:
        drawn = set(sorted(refs, key=lambda ref: _rank(ref, selection.seed))[: selection.sample])
        refs = tuple(ref for ref in refs if ref in drawn)
    return refs[: selection.limit]


def _matches(ref: IndexedTask, pattern: str) -> bool:
    return fnmatch.fnmatchcase(ref.name, pattern) or fnmatch.fnmatchcase(ref.id, pattern)


def _rank(ref: IndexedTask, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{ref.name}".encode()).digest()
