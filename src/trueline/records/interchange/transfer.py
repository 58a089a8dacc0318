"""Import and export of episodes one by one, and the outcome of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from trueline.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """How files are put in their new place."""

    link: bool = False
    """Hard-link pictures instead of copying them, where possible."""
    force: bool = False
    """Move an existing output aside."""


@dataclass(frozen=True, slots=True)
class TransferredEpisode:
    """One episode: written, or left out with the reason."""

    where: str
    """Its place in the source: a folder, or a file and the place in it."""
    written: Path | None = None
    reason: str | None = None
    """Why it was left out."""
    notes: tuple[str, ...] = ()
    """Problems of an episode that was written nevertheless."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A transfer in progress: the number of episodes, and their outcomes as they finish."""

    total: int
    outcomes: Iterator[TransferredEpisode]


def transfer(items: Sequence[T], where: Callable[[T], str], work: Callable[[T], TransferredEpisode]) -> Transfer:
    """Process the items in order; one that cannot be read is left out.

    A full disk is another matter: it ends the work with a `DiskFullError`.
    """

    def outcomes() -> Iterator[TransferredEpisode]:
        for item in items:
            try:
                yield work(item)
            except InputError as error:
                yield TransferredEpisode(where(item), reason=str(error))
            except OSError as error:
                yield TransferredEpisode(where(item), reason=f"{error.filename}: {error.strerror}")

    return Transfer(len(items), outcomes())
