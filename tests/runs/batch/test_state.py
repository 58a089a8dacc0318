"""What a result folder says about an episode, whatever ended it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trueline.records import EpisodeWriter, Location, TaskRef, Unit, attempts_of
from trueline.records.end import End, Unscored
from trueline.records.events import Ended, Started
from trueline.runs.batch.state import Standing, settle, tries

WHERE = Location("pyautogui", "screenshot", "m", Unit("os", "t")).path
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def begin(root: Path) -> EpisodeWriter:
    return EpisodeWriter(root / WHERE, Started(time=NOW, task=TaskRef(domain="os", id="t"), instruction="Do it."))


def unscored(root: Path, reason: Unscored) -> None:
    begin(root).finish(Ended(time=NOW, unscored=reason))


def test_nothing_there_is_open(tmp_path: Path) -> None:
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN


def test_a_scored_episode_is_not_run_again(tmp_path: Path) -> None:
    begin(tmp_path).finish(Ended(time=NOW, end=End.DONE, score=1.0))
    state = settle(tmp_path, tmp_path / WHERE)
    assert state.standing is Standing.SCORED
    assert state.record is not None and state.record.score == 1.0


def test_a_folder_of_another_system_counts_by_its_result(tmp_path: Path) -> None:
    (tmp_path / WHERE).mkdir(parents=True)
    (tmp_path / WHERE / "result.txt").write_text("1.0\n")
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.SCORED


def test_an_episode_cut_off_is_moved_aside_and_open(tmp_path: Path) -> None:
    begin(tmp_path).close()
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
    assert not (tmp_path / WHERE).exists()
    assert len(attempts_of(tmp_path, tmp_path / WHERE)) == 1
    assert tries(tmp_path, tmp_path / WHERE) == {Unscored.INTERRUPTED: 1}


def test_an_end_whose_whole_files_are_missing_is_made_whole(tmp_path: Path) -> None:
    begin(tmp_path).finish(Ended(time=NOW, end=End.DONE, score=0.0))
    for name in ("episode.json", "result.txt"):
        (tmp_path / WHERE / name).unlink()
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.SCORED
    assert (tmp_path / WHERE / "result.txt").read_text() == "0.0\n"


@pytest.mark.parametrize(
    ("reason", "runs"), [(Unscored.SETUP_ERROR, 3), (Unscored.UNSUPPORTED, 1), (Unscored.DESKTOP_LOST, 3)]
)
def test_an_unscored_episode_is_tried_again_a_few_times(tmp_path: Path, reason: Unscored, runs: int) -> None:
    for _ in range(runs - 1):
        unscored(tmp_path, reason)
        assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
    unscored(tmp_path, reason)
    state = settle(tmp_path, tmp_path / WHERE)
    assert state.standing is Standing.GIVEN_UP
    assert state.record is not None and state.record.unscored is reason


def test_an_interrupted_episode_is_always_tried_again(tmp_path: Path) -> None:
    for _ in range(6):
        unscored(tmp_path, Unscored.INTERRUPTED)
        assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN


def test_a_folder_without_anything_of_ours_is_moved_aside(tmp_path: Path) -> None:
    (tmp_path / WHERE).mkdir(parents=True)
    (tmp_path / WHERE / "runtime.log").write_text("x")
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
    assert len(attempts_of(tmp_path, tmp_path / WHERE)) == 1
