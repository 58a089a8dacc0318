"""Scoring recorded episodes again from what their checkers read."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import trueline
from support.small_suite import write_suite
from trueline.cli import main
from trueline.records import EpisodeWriter, read_episode
from trueline.records.end import End, Unscored
from trueline.records.episode import CheckRecord, TaskRef
from trueline.records.events import Ended, Started
from trueline.records.folder.checker_files import CHECKER_FOLDER, LARGEST_FILE
from trueline.records.folder.store import StoreLevel
from trueline.records.scan import scan
from trueline.runs.rescore import Rescored, find_episodes, rescore_episodes
from trueline.tasks.checkers.evidence import EvidenceCollector
from trueline.tasks.checkers.values import FileValue, Value
from trueline.tasks.model import Task

NOW = datetime(2030, 1, 2, tzinfo=UTC)


def task(function: str = "compare_text_file") -> Task:
    return Task.model_validate(
        {
            "id": "t0",
            "instruction": "Write it.",
            "evaluator": {
                "func": function,
                "result": {"type": "vm_file", "path": "/home/user/a.txt", "dest": "a.txt"},
                "expected": {"type": "cloud_file", "path": "https://example.org/a.txt", "dest": "b.txt"},
            },
        },
        strict=False,
    )


def record(
    root: Path,
    result: Value,
    expected: Value,
    *,
    score: float | None,
    store: StoreLevel = StoreLevel.ALL,
    unreadable: str = "",
) -> Path:
    """An episode that a checker scored like this."""
    folder = root / "pyautogui/screenshot/noop/os/t0"
    folder.parent.mkdir(parents=True)
    started = Started(time=NOW, task=TaskRef(domain="os", id="t0", kind="benign"), instruction="Write it.")
    writer = EpisodeWriter(folder, started, store=store)
    kept = EvidenceCollector()
    kept.keep(0, result, expected, unreadable)
    evidence = kept.evidence(task(), (1920, 1080), harm=False)
    assert evidence is not None
    writer.keep_evidence(evidence, kept.contents)
    unscored = Unscored.CHECKER_ERROR if score is None else None
    check = CheckRecord(name="evaluator", passed=score == 1, detail="as it was")
    writer.finish(Ended(time=NOW, end=End.DONE, score=score, unscored=unscored, scored_by="native", checks=(check,)))
    return folder


def rescored(root: Path) -> Rescored:
    async def collect() -> list[Rescored]:
        return [one async for one in rescore_episodes(find_episodes([root]))]

    (only,) = asyncio.run(collect())
    return only


HELLO, SAME = FileValue("a.txt", b"hello"), FileValue("b.txt", b"hello")


@pytest.mark.parametrize(
    ("result", "before", "after", "outcome"),
    [
        (HELLO, 1.0, 1.0, "same"),
        (HELLO, 0.0, 1.0, "changed"),
        (HELLO, None, 1.0, "changed"),
        (FileValue("a.txt", b"bye"), 1.0, 0.0, "changed"),
        (None, 0.0, 0.0, "same"),
    ],
)
def test_the_score_is_that_of_todays_checkers(
    tmp_path: Path, result: Value, before: float | None, after: float, outcome: str
) -> None:
    record(tmp_path, result, SAME, score=before)
    found = rescored(tmp_path)
    assert (found.before, found.outcome) == (before, outcome)
    assert found.after is not None and found.after.score == after


def test_an_unreadable_result_stays_unreadable(tmp_path: Path) -> None:
    record(tmp_path, None, SAME, score=0.0, unreadable="a pipe")
    found = rescored(tmp_path)
    assert found.after is not None
    assert (found.after.score, found.after.reason) == (0.0, "a pipe")


def test_a_copy_holds_the_new_scores_and_the_old_folder_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path / "old", HELLO, SAME, score=0.0)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(["rescore", str(tmp_path / "old"), "--out", str(tmp_path / "new"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["changed"], found["rows"][0]["before"], found["rows"][0]["after"]) == (1, 0.0, 1.0)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (trial,) = scan(tmp_path / "new")
    episode = read_episode(Path(trial.folder)).record
    assert (trial.score, trial.problem, episode.score, episode.end) == (1.0, None, 1.0, End.DONE)
    assert "was 0" in episode.detail
    assert main(["rescore", str(tmp_path / "new"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] == 1
    assert main(["rescore", str(tmp_path / "old"), "--out", str(tmp_path / "new")]) == 2
    assert "already exists" in capsys.readouterr().err


def test_an_episode_without_a_score_gets_one_in_the_copy(tmp_path: Path) -> None:
    record(tmp_path / "old", HELLO, SAME, score=None)
    assert main(["rescore", str(tmp_path / "old"), "--out", str(tmp_path / "new")]) == 0
    (trial,) = scan(tmp_path / "new")
    assert (trial.score, trial.scored_by) == (1.0, "native")


@pytest.mark.parametrize("store", [StoreLevel.REDACTED, StoreLevel.NONE])
def test_nothing_is_kept_where_screens_are_not(tmp_path: Path, store: StoreLevel) -> None:
    folder = record(tmp_path, HELLO, SAME, score=1.0, store=store)
    assert not (folder / CHECKER_FOLDER).exists()
    assert "was kept" in rescored(tmp_path).left_out


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    folder = record(tmp_path, HELLO, SAME, score=1.0)
    (kept,) = (folder / CHECKER_FOLDER / "files").iterdir()
    kept.write_bytes(b"other")
    assert "was changed" in rescored(tmp_path).left_out


@pytest.mark.parametrize("digest", ["../../../../etc/passwd", "A" * 64, ""])
def test_a_digest_never_leads_out_of_the_folder(tmp_path: Path, digest: str) -> None:
    folder = record(tmp_path, HELLO, SAME, score=1.0)
    path = folder / CHECKER_FOLDER / "evidence.json"
    evidence = json.loads(path.read_text())
    evidence["checks"][0]["result"]["file"]["digest"] = digest
    path.write_text(json.dumps(evidence))
    assert "no valid digest" in rescored(tmp_path).left_out


def test_a_damaged_record_is_left_out_by_name(tmp_path: Path) -> None:
    folder = record(tmp_path, HELLO, SAME, score=1.0)
    (folder / CHECKER_FOLDER / "evidence.json").write_text('{"version": 2}')
    assert "evidence.json" in rescored(tmp_path).left_out


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    large = FileValue("a.txt", b"\0" * (LARGEST_FILE + 1))
    record(tmp_path, large, SAME, score=0.0)
    assert "too large to be kept" in rescored(tmp_path).left_out


@pytest.mark.full
def test_a_run_keeps_what_it_compared_and_a_task_without_a_checker_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], machine: None
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", "t0", "t1")
    path = tmp_path / "suite/examples/os/t1.json"
    unchecked = json.loads(path.read_text())
    del unchecked["evaluator"]
    path.write_text(json.dumps(unchecked))

    def play() -> trueline.RunResult:
        return trueline.run(
            suite="suite", agent="noop", max_steps=2, screen_width=1024, screen_height=768, result_dir="results"
        )

    result = play()
    assert result.complete
    scores = {path.rpartition("/")[2]: (one.score, one.unscored, one.end) for path, one in result.records.items()}
    assert scores == {"t0": (0.0, None, End.STEP_LIMIT), "t1": (None, Unscored.NO_CHECKER, End.STEP_LIMIT)}
    times = {path: one.started for path, one in result.records.items()}
    assert {path: one.started for path, one in play().records.items()} == times
    assert main(["rescore", "results", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["folder"].rpartition("/")[2]: row["outcome"] for row in found["rows"]} == {
        "t0": "same",
        "t1": "left out",
    }
    assert main(["metrics", "--run-dirs", "results", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["settings"][0]["n_tasks"], report["settings"][0]["missing"]) == (1, 0)
