"""What is open when a task begins, as far as its set-up names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StartState:
    """What is open when a task begins. Window titles and contents are left out: they are not trusted."""

    executables: tuple[str, ...] = ()
    """Base names of the executables that have a window."""
    files: tuple[str, ...] = ()
    """Paths of the files that are open or were put there for the task."""
    sites: tuple[str, ...] = ()
    """Hosts of the open tabs, read from the browser itself."""
