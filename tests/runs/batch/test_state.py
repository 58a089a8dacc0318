"""What a result folder says about an episode, whatever ended it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trueline.records import EpisodeWriter, Location, TaskRef, Unit, attempts_of, read_episode
from trueline.records.end import End, Unscored
from trueline.records.episode_state import read_state
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


def scored(root: Path) -> Path:
    begin(root).finish(Ended(time=NOW, end=End.DONE, score=1.0))
    return root / WHERE


@pytest.mark.parametrize("content", ["", "0.0\n", "yes"])
def test_a_damaged_result_is_played_again_twice_and_repaired_by_that(tmp_path: Path, content: str) -> None:
    for number in (1, 2):
        (scored(tmp_path) / "result.txt").write_text(content)
        assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
        assert tries(tmp_path, tmp_path / WHERE) == {Unscored.DAMAGED: number}
        assert (attempts_of(tmp_path, tmp_path / WHERE)[-1] / "result.txt").read_text() == content
    (scored(tmp_path) / "result.txt").write_text(content)
    state = settle(tmp_path, tmp_path / WHERE)
    assert state.standing is Standing.GIVEN_UP
    assert state.record is not None
    assert (state.record.unscored, state.record.score) == (Unscored.DAMAGED, None)
    settle(tmp_path, tmp_path / WHERE, rerun=True)
    scored(tmp_path)
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.SCORED


def test_an_empty_result_of_another_system_is_played_again(tmp_path: Path) -> None:
    (tmp_path / WHERE).mkdir(parents=True)
    (tmp_path / WHERE / "result.txt").write_text("")
    assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
    assert tries(tmp_path, tmp_path / WHERE) == {Unscored.DAMAGED: 1}


def test_a_deleted_result_is_played_again_as_in_the_seeds(tmp_path: Path) -> None:
    for number in range(1, 5):
        (scored(tmp_path) / "result.txt").unlink()
        assert settle(tmp_path, tmp_path / WHERE).standing is Standing.OPEN
        assert len(attempts_of(tmp_path, tmp_path / WHERE)) == number


def test_a_result_that_was_still_to_be_written_is_not_played_again(tmp_path: Path) -> None:
    folder = scored(tmp_path)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    (folder / "result.txt").unlink()
    assert settle(tmp_path, folder).standing is Standing.SCORED
    assert (folder / "result.txt").read_text() == "1.0\n"
    assert read_state(folder).closed


def test_a_kill_before_the_episode_was_closed_is_made_good(tmp_path: Path) -> None:
    folder = scored(tmp_path)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    for torn in (b"", b'{"event":"cl'):
        (folder / "events.jsonl").write_bytes(b"".join(lines[:-1]) + torn)
        assert settle(tmp_path, folder).standing is Standing.SCORED
        assert read_state(folder).closed
        assert read_episode(folder).problems == ()
    (folder / "result.txt").unlink()
    assert settle(tmp_path, folder).standing is Standing.OPEN


def test_a_record_that_cannot_be_read_is_made_again_from_the_events(tmp_path: Path) -> None:
    folder = scored(tmp_path)
    whole = (folder / "episode.json").read_bytes()
    (folder / "episode.json").write_bytes(whole[:40])
    assert read_state(folder).unscored is Unscored.DAMAGED
    assert settle(tmp_path, folder).standing is Standing.SCORED
    assert (folder / "episode.json").read_bytes() == whole
    assert attempts_of(tmp_path, folder) == ()


def test_what_is_wanted_anew_is_moved_aside_whatever_it_is(tmp_path: Path) -> None:
    scored(tmp_path)
    assert settle(tmp_path, tmp_path / WHERE, rerun=True).standing is Standing.OPEN
    (attempt,) = attempts_of(tmp_path, tmp_path / WHERE)
    assert (attempt / "result.txt").read_text() == "1.0\n"
    unscored(tmp_path, Unscored.UNSUPPORTED)
    assert settle(tmp_path, tmp_path / WHERE, rerun=True).standing is Standing.OPEN
