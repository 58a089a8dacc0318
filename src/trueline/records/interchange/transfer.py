"""How episodes are taken in or out, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from trueline.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """How files are put in their new place."""

    link: bool = False
    """Give pictures a second name instead of copying them, where the disk can."""
    force: bool = False
    """Move what is there already aside."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One episode: written, or left out with the reason."""

    where: str
    """Its place in the source: a folder, or a file and the place in it."""
    written: Path | None = None
    reason: str | None = None
    """Why it was left out."""
    notes: tuple[str, ...] = ()
    """What was odd about it, though it was written."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Episodes on their way: how many there are, and their outcomes as the work goes on."""

    total: int
    outcomes: Iterator[Outcome]


def transfer(items: Sequence[T], where: Callable[[T], str], work: Callable[[T], Outcome]) -> Transfer:
    """Work on one after the other; one that cannot be read is left out and the rest goes on.

    A full disk is another matter: it ends the work with a `DiskFullError`.
    """

    def outcomes() -> Iterator[Outcome]:
        for item in items:
            try:
                yield work(item)
            except InputError as error:
                yield Outcome(where(item), reason=str(error))
            except OSError as error:
                yield Outcome(where(item), reason=f"{error.filename}: {error.strerror}")

    return Transfer(len(items), outcomes())
