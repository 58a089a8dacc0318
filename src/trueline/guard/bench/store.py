"""The files of a bench: the result file and the narrative cache, and while it runs a journal beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from trueline.errors import InputError
from trueline.guard.bench.cases import LabelledTrajectory
from trueline.guard.bench.journal import BenchJournal, Evaluated, NarratedStep, journal_path, read_journal
from trueline.guard.bench.progress import (
    Progress,
    assemble,
    narrative_cache,
    refuse_other_settings,
    take_over,
)
from trueline.records.folder.files import make_folder, sync_folder
from trueline.records.interchange.misactbench import (
    NarrativeCache,
    ResultTrajectory,
    read_narratives,
    read_results,
    write_narratives,
    write_results,
)
from trueline.records.problem import Problem
from trueline.records.setting import GuardSetting
from trueline.text import printable

CHECKPOINT_S = 30.0
"""Least time between two writings of the whole files."""
_SHARE = 50
"""Writing them takes at most one part in so many of the time, however large they grow."""


class BenchStore:
    """The progress of a bench on disk: at once in the journal, at the end in the result files."""

    def __init__(
        self, result_file: Path, cache_file: Path | None, sources: Sequence[LabelledTrajectory], setting: GuardSetting
    ) -> None:
        """Read the progress of earlier runs; no file is changed yet.

        Args:
            result_file: The file with the verdicts.
            cache_file: The file with the narratives; `None` when none are made.
            sources: All steps of the benchmark, also those that are not asked about this time.
            setting: How they are judged.

        Raises:
            InputError: A file cannot be understood, or contains verdicts of another setting.
        """
        self._result_file = result_file
        self._cache_file = cache_file
        self._sources = sources
        self._setting = setting
        self._old = _read_old(result_file)
        self._cache = _read_cache(cache_file)
        self.progress = Progress()
        take_over(self.progress, self._old, self._cache, sources)
        entries, self.damaged_lines = read_journal(journal_path(result_file))
        _refuse_strangers(journal_path(result_file), entries, sources)
        for entry in entries:
            self.progress.add(entry)
        self._changed = bool(entries)
        refuse_other_settings(self.progress, setting, str(result_file))
        self._journal: BenchJournal | None = None
        self._checkpoints: asyncio.Task[None] | None = None

    def note(self, entry: NarratedStep | Evaluated) -> None:
        """Add a narrative or verdict of a step."""
        assert self._journal is not None
        self._changed = True
        self.progress.add(entry)
        self._journal.add(entry)

    def results(self) -> dict[str, ResultTrajectory]:
        """The result file as it would be now."""
        return assemble(self._sources, self.progress, self._setting, self._old)

    async def __aenter__(self) -> Self:
        """Open the journal."""
        for file in (self._result_file, self._cache_file):
            if file is not None:
                _make_place(file)
        self._journal = BenchJournal(journal_path(self._result_file))
        self._checkpoints = asyncio.create_task(self._write_at_intervals())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write the files if anything is new, also after an error, and remove the journal."""
        assert self._journal is not None and self._checkpoints is not None
        self._checkpoints.cancel()
        try:
            # Whatever went wrong there goes wrong again below, where it is heard.
            await asyncio.gather(self._checkpoints, return_exceptions=True)
            await self._journal.flush()
            if self._changed or not self._result_file.exists():
                self._write(self.results(), narrative_cache(self._sources, self.progress, self._cache))
            self._journal.remove()
        finally:
            self._journal.close()

    async def _write_at_intervals(self) -> None:
        pause = CHECKPOINT_S
        while True:
            await asyncio.sleep(pause)
            began = time.perf_counter()
            # Put together here, where nobody else changes what is known; turned into text and written elsewhere.
            results, cache = self.results(), narrative_cache(self._sources, self.progress, self._cache)
            await asyncio.to_thread(self._write, results, cache)
            pause = max(CHECKPOINT_S, _SHARE * (time.perf_counter() - began))

    def _write(self, results: dict[str, ResultTrajectory], cache: NarrativeCache) -> None:
        write_results(self._result_file, results)
        sync_folder(self._result_file.parent)
        if self._cache_file is not None and (cache or self._cache_file.exists()):
            write_narratives(self._cache_file, cache)
            sync_folder(self._cache_file.parent)


def _make_place(file: Path) -> None:
    try:
        make_folder(file.absolute().parent, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file}: its folder cannot be created ({error.strerror})") from error


def _read_old(file: Path) -> dict[str, ResultTrajectory]:
    if not file.exists():
        return {}
    read = read_results(file)
    _refuse(read.problems)
    return read.trajectories


def _read_cache(file: Path | None) -> NarrativeCache:
    if file is None or not file.exists():
        return {}
    read = read_narratives(file)
    _refuse(read.problems)
    return read.narratives


def _refuse_strangers(
    path: Path, entries: Sequence[NarratedStep | Evaluated], sources: Sequence[LabelledTrajectory]
) -> None:
    """Refuse a journal with steps of another benchmark: the result file would lose them."""
    known = {case.key for source in sources for case in source.cases}
    stranger = next((entry.key for entry in entries if entry.key not in known), None)
    if stranger is not None:
        raise InputError(
            f"{path}: belongs to another benchmark: step {stranger.step} of {printable(stranger.trajectory, 80)} is "
            "not in this one; finish that run first, or name another --result_file"
        )


def _refuse(problems: Sequence[Problem]) -> None:
    """Refuse a file with unreadable entries: rewriting it would lose them."""
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(f"{problems[0]}{more}; repair the file, or move it aside to start over")
