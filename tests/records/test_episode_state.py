"""Whether an episode counts: one answer for every command, whatever became of its files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from trueline.judge.recorded_facts import recorded_facts
from trueline.records import EpisodeWriter, TaskRef, Unit, read_episode, recover
from trueline.records.end import End, Unscored
from trueline.records.episode import CheckRecord, Retry, TaskKind
from trueline.records.episode_state import EpisodeState, is_success, read_state
from trueline.records.events import Ended, Retried, Started
from trueline.records.scan import scan

WHERE = "pyautogui/screenshot/m/os/t"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def episode(root: Path, score: float | None = 1.0, kind: TaskKind | None = "benign", **params: JsonValue) -> Path:
    folder = root / WHERE
    started = Started(time=NOW, task=TaskRef(domain="os", id="t", kind=kind), instruction="Do it.", params=params)
    writer = EpisodeWriter(folder, started)
    # A field of an earlier try that looks like the end of the record.
    writer.append(Retried(time=NOW, retry=Retry(after_step=0, end=End.FAIL, score=0.25, message='"end":"x"')))
    if score is None:
        writer.finish(Ended(time=NOW, unscored=Unscored.SETUP_ERROR, detail='no "score":1.0 here'))
    else:
        writer.finish(Ended(time=NOW, end=End.DONE, score=score, checks=(CheckRecord(name="a", passed=True),)))
    return folder


def change(folder: Path, **fields: object) -> None:
    path = folder / "episode.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def decided(folder: Path) -> EpisodeState:
    """The one decision; what reads the whole record and what looks for results must agree with it."""
    state = read_state(folder)
    trajectory = read_episode(folder)
    (trial,) = scan(folder)
    record = trajectory.record
    assert record.score == state.score
    assert trial.score == (None if record.kind_missing else record.score) == state.averaged
    assert (trial.problem is None) == (trial.score is not None)
    if state.unscored is not None:
        assert record.unscored is state.unscored
    known = recorded_facts(record, Unit("os", "t"))
    assert {known.success, known.harm} - {None} == {trial.score} - {None}
    return state


def test_a_scored_episode(tmp_path: Path) -> None:
    state = decided(episode(tmp_path))
    assert (state.score, state.kind, state.closed, state.problem) == (1.0, "benign", True, None)


def test_an_unscored_episode_says_why(tmp_path: Path) -> None:
    state = decided(episode(tmp_path, None))
    assert (state.score, state.unscored) == (None, Unscored.SETUP_ERROR)
    assert state.problem == 'setup_error: no "score":1.0 here'


@pytest.mark.parametrize("content", ["", " \n", "0.0\n", "0.5", "nan", "yes", "2"])
def test_a_result_that_is_empty_or_contradicts_the_record_is_damaged(tmp_path: Path, content: str) -> None:
    folder = episode(tmp_path)
    (folder / "result.txt").write_text(content)
    state = decided(folder)
    assert (state.score, state.unscored) == (None, Unscored.DAMAGED)
    assert state.problem is not None and "result.txt" in state.problem


@pytest.mark.parametrize("left", ["events.jsonl", "episode.json"])
def test_either_of_our_files_is_enough_to_contradict(tmp_path: Path, left: str) -> None:
    folder = episode(tmp_path, 0.0)
    (folder / "result.txt").write_text("1.0\n")
    (folder / ({"events.jsonl", "episode.json"} - {left}).pop()).unlink()
    assert decided(folder).unscored is Unscored.DAMAGED


def test_a_score_beside_a_record_that_has_none_is_damaged(tmp_path: Path) -> None:
    folder = episode(tmp_path, None)
    (folder / "result.txt").write_text("1.0\n")
    assert decided(folder).unscored is Unscored.DAMAGED


@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"sort_keys": True}, {"separators": (",", ":")}])
@pytest.mark.parametrize("padding", [0, 200_000])
def test_a_record_that_was_changed_is_found_in_any_layout(
    tmp_path: Path, layout: dict[str, bool], padding: int
) -> None:
    folder = episode(tmp_path, note="x" * padding)
    path = folder / "episode.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data, **layout))  # pyright: ignore[reportArgumentType]
    assert decided(folder).score == 1.0
    path.write_text(json.dumps(data | {"score": 0.0}, **layout))  # pyright: ignore[reportArgumentType]
    assert decided(folder).unscored is Unscored.DAMAGED


def test_an_empty_result_of_another_system_is_damaged_and_any_number_counts(tmp_path: Path) -> None:
    folder = tmp_path / WHERE
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_text("")
    (folder / "result.txt").write_text("")
    assert decided(folder).unscored is Unscored.DAMAGED
    (folder / "result.txt").write_text("0.5\n")
    assert decided(folder) == EpisodeState(score=0.5)


@pytest.mark.parametrize("result", ["0.9999999999999999", "1.0", "0.99999999999"])
def test_sums_of_fractions_reach_the_threshold(result: str) -> None:
    assert is_success(float(result))
    assert not is_success(0.99)
    assert is_success(0.1 + 0.2, 0.3)
    assert not is_success(None)


@pytest.mark.parametrize("without", ["events.jsonl", "episode.json"])
def test_the_kind_is_read_from_either_of_our_files(tmp_path: Path, without: str) -> None:
    folder = episode(tmp_path, kind="misuse", note="x" * 100_000)
    (folder / without).unlink()
    state = decided(folder)
    assert (state.score, state.kind) == (1.0, "misuse")
    assert recorded_facts(read_episode(folder).record, Unit("os", "t")).harm == 1.0


def test_where_no_file_of_ours_says_the_kind_the_score_is_not_averaged(tmp_path: Path) -> None:
    folder = episode(tmp_path, kind=None)
    state = decided(folder)
    assert (state.score, state.averaged, state.kind) == (1.0, None, None)
    assert state.why_not_averaged is not None and "kind of task" in state.why_not_averaged
    (folder / "events.jsonl").unlink()
    assert decided(folder).averaged is None
    change(folder, task={"domain": "os", "id": "t", "kind": "accident"})
    assert decided(folder).averaged == 1.0


def test_the_kind_may_stand_in_the_second_file_alone(tmp_path: Path) -> None:
    folder = episode(tmp_path, kind=None)
    change(folder, task={"domain": "os", "id": "t", "kind": "misuse", "unmeasured": False})
    assert decided(folder).kind == "misuse"


def test_a_broken_first_event_is_not_taken_for_another_systems_folder(tmp_path: Path) -> None:
    folder = tmp_path / WHERE
    folder.mkdir(parents=True)
    (folder / "result.txt").write_text("1.0\n")
    (folder / "events.jsonl").write_text('{"event": "start')
    (trial,) = scan(folder)
    assert trial.score is None
    assert trial.problem is not None and "kind of task" in trial.problem


def test_a_result_deleted_after_the_episode_was_closed_is_wanted_anew(tmp_path: Path) -> None:
    folder = episode(tmp_path)
    (folder / "result.txt").unlink()
    state = decided(folder)
    assert state.removed
    assert state.problem is not None and "was removed" in state.problem


def test_a_result_that_was_never_written_is_recovered(tmp_path: Path) -> None:
    folder = episode(tmp_path)
    (folder / "result.txt").unlink()
    events = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    assert json.loads(events[-1])["event"] == "closed"
    for torn in (b"", b'{"event":"clo'):
        (folder / "events.jsonl").write_bytes(b"".join(events[:-1]) + torn)
        state = decided(folder)
        assert (state.score, state.closed) == (1.0, False)
    record = recover(folder)
    assert (folder / "result.txt").read_text() == "1.0\n"
    assert record.problems == ()
    assert decided(folder).closed
    assert recover(folder) == record
    assert (folder / "events.jsonl").read_bytes().count(b'"closed"') == 1


def test_large_and_hostile_files_cost_little(tmp_path: Path) -> None:
    folder = episode(tmp_path)
    path = folder / "episode.json"
    data = json.loads(path.read_text())
    data["instruction"] = "[" * 1000
    deep = '{"steps":' + "[" * 3_000_000
    path.write_text(deep)
    assert read_state(folder).unscored is Unscored.DAMAGED
    path.unlink()
    path.mkdir()
    assert read_state(folder).score == 1.0
    path.rmdir()
    path.write_text(json.dumps(data))
    assert decided(folder).score == 1.0
