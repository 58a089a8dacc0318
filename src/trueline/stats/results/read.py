"""Results read from folders for Python: `read_results`."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trueline.errors import InputError, RequestError
from trueline.records.index import read_index
from trueline.records.scan import RESULT_FILE, Trial
from trueline.stats.results.runs import RunResults, read_runs
from trueline.text import printable

Folders = str | Path | Sequence[str | Path]
"""One folder of results or several: of runs, of one run, or anything deeper."""
Index = str | Path | Mapping[str, Sequence[str]]
"""An index file, or what it holds: `{domain: [task ids]}`."""


@dataclass(frozen=True, repr=False)
class Results:
    """The episodes of one setting, run by run, as `read_results` found them.

    Iterating gives the episodes of all runs. Each has its folder, what ran (`condition`), which task (`unit`), its
    `score`, and where there is none, the `problem`.
    """

    runs: tuple[RunResults, ...]
    """The repeats; at least one."""
    result_file: str = RESULT_FILE
    """The file of each episode that its score was read from."""

    def __iter__(self) -> Iterator[Trial]:
        """All episodes, run by run."""
        return (trial for run in self.runs for trials in run.trials.values() for trial in trials.values())

    def __len__(self) -> int:
        """How many episodes there are, scored or not."""
        return sum(len(trials) for run in self.runs for trials in run.trials.values())

    def __repr__(self) -> str:
        return f"Results({len(self)} episodes in {len(self.runs)} runs)"


def read_results(folders: Folders, *, result_file: str = RESULT_FILE) -> Results:
    """Read the scores of all episodes below the folders of one setting.

    Args:
        folders: One folder per repeat, at any level of a result folder, or a folder that holds `run1`, `run2` ….
        result_file: The file with an episode's score, e.g. `adversary_result.txt`.

    Raises:
        InputError: A folder is missing or holds no episode, one is named twice, or a run holds an episode twice.
    """
    if "/" in result_file or not result_file:
        raise RequestError(
            f"`result_file` {printable(result_file)!r}: must be the name of a file in each episode's folder, "
            "without a path"
        )
    names = [folders] if isinstance(folders, str | Path) else list(folders)
    if not names or "" in names:
        raise InputError("an empty name is not a folder of results" if names else "name at least one folder of results")
    with collecting_paused():
        return Results(tuple(read_runs([Path(name) for name in names], result_file)), result_file)


def load_index(given: Index | None) -> Mapping[str, Sequence[str]] | None:
    """Return the index, read from its file if a file was given.

    Raises:
        InputError: The file is missing or is not an index.
    """
    return read_index(Path(given)) if isinstance(given, str | Path) else given


@contextmanager
def collecting_paused() -> Generator[None]:
    """Pause the garbage collector: thousands of small objects all live to the end, so it would search in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
