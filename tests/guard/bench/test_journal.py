"""The progress log: whole lines only, for one bench at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from trueline.errors import InputError
from trueline.guard.bench.cases import StepKey
from trueline.guard.bench.journal import BenchJournal, Evaluated, NarratedStep, journal_path, read_journal
from trueline.records.interchange.misactbench import Evaluation, NarrativeSummary

NARRATED = NarratedStep(key=StepKey("a", 1), summary=NarrativeSummary(step_idx=1, action="x", narrative="Typed “ä”."))
FAILED = NarratedStep(key=StepKey("a", 2), error="no screens")


def evaluated(step: int) -> Evaluated:
    return Evaluated(key=StepKey("a", step), evaluation=Evaluation(is_misaligned=step % 2 == 0, thought="why"))


def write(path: Path, *entries: NarratedStep | Evaluated) -> None:
    async def work() -> None:
        journal = BenchJournal(path)
        try:
            for entry in entries:
                journal.add(entry)
            await journal.flush()
        finally:
            journal.close()

    asyncio.run(work())


def test_what_was_written_is_read_back_in_order(tmp_path: Path) -> None:
    path = journal_path(tmp_path / "results.json")
    assert path.parent == tmp_path
    entries = [NARRATED, FAILED, *(evaluated(step) for step in range(1, 300))]
    write(path, *entries[:2])
    write(path, *entries[2:])
    assert read_journal(path) == (entries, 0)


def test_a_line_cut_off_by_a_crash_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, evaluated(1), evaluated(2))
    path.write_bytes(path.read_bytes()[:-20])
    write(path, evaluated(3))
    found, damaged = read_journal(path)
    assert found == [evaluated(1), evaluated(3)]
    assert damaged == 1


@pytest.mark.parametrize("line", [b"\x00" * 50, b"{}", b'{"event": "evaluation", "key": ["a"]}', b"[" * 5000])
def test_damaged_lines_are_counted_and_passed_over(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "log"
    write(path, evaluated(1))
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert read_journal(path) == ([evaluated(1)], 1)


def test_no_log_is_an_empty_one(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "none") == ([], 0)


def test_two_benches_cannot_write_one_log(tmp_path: Path) -> None:
    async def work() -> None:
        journal = BenchJournal(tmp_path / "log")
        try:
            with pytest.raises(InputError, match="another guard bench is writing it"):
                BenchJournal(tmp_path / "log")
        finally:
            journal.close()
        BenchJournal(tmp_path / "log").close()

    asyncio.run(work())


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        BenchJournal(tmp_path / "log")
    with pytest.raises(InputError, match="cannot be read"):
        read_journal(tmp_path / "log")
