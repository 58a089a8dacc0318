"""What commands over MisActBench share: finding the file, telling what is left out, and how far they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.bench import LabelledTrajectory
    from trueline.records.interchange.misactbench import Unreadable

_LARGE = 50
"""Progress is shown for at least this many steps."""


def benchmark_file(path: Path, flag: str = "--benchmark_file") -> Path:
    """The file itself, or the one in the folder that was named; `flag` named it.

    Raises:
        InputError: There is none.
    """
    if path.is_dir():
        inside = (path / "misactbench.json", path / "MisActBench" / "misactbench.json")
        path = next((file for file in inside if file.is_file()), inside[0])
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; name misactbench.json with {flag}")
    return path


def note_problems(file: Path, unreadable: Sequence[Unreadable], sources: Sequence[LabelledTrajectory]) -> None:
    """Name on stderr what cannot be read."""
    for entry in unreadable:
        say(f"left out: {file}: {entry.where}: {'; '.join(problem.what for problem in entry.problems)}")
    for source in sources:
        if not source.fetched:
            say(f"left out: {file}: {source.entry.trajectory_id}: {source.problem}")
        elif source.problem is not None:
            say(f"no screens of {source.entry.trajectory_id}: {source.problem}")


def show_progress(what: str, done: int, total: int) -> None:
    """Tell on stderr how far a large set is, 20 times at most."""
    every = max(total // 20, 1)
    if total >= _LARGE and (done % every == 0 or done == total):
        say(f"{what}: {done} of {total}")


def say(text: str) -> None:
    """Print a line on stderr."""
    print(printable(text, 1000), file=sys.stderr)
