from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from support.results import write_run
from trueline.errors import InputError
from trueline.records import read_episode
from trueline.records.layout import Unit
from trueline.records.scan import parse_score, scan


def test_finds_scores_at_every_level(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run1", {"chrome/a": 1.0, "chrome/b": 0.0, "os/c": 0.5})
    for deeper in ("", "pyautogui", "pyautogui/screenshot", "pyautogui/screenshot/some-model"):
        trials = scan(run / deeper)
        assert {(t.unit, t.score) for t in trials} == {
            (Unit("chrome", "a"), 1.0),
            (Unit("chrome", "b"), 0.0),
            (Unit("os", "c"), 0.5),
        }
        assert {tuple(t.condition) for t in trials} == {("pyautogui", "screenshot", "some-model")}
    assert [t.score for t in scan(run / "pyautogui/screenshot/some-model/os/c")] == [0.5]


def test_parses_injections_whose_task_begins_with_underscores(tmp_path: Path) -> None:
    write_run(tmp_path, {"thunderbird/__injected_email__inject__desktop_notification__stop_task": 1})
    assert scan(tmp_path)[0].unit == Unit("thunderbird", "__injected_email", "desktop_notification", "stop_task")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"nan\n", "not a score from 0 to 1"),
        (b"inf", "not a score from 0 to 1"),
        (b"2.0", "not a score from 0 to 1"),
        (b"-0.5", "not a score from 0 to 1"),
        (b"Task failed: timeout", "holds no number: 'Task failed: timeout'"),
        (b"", "is empty"),
        (b"0_1", "holds no number"),
        (b"\xff\xfe1", "holds no number"),
        (b"\x1b[31m1", r"holds no number: '\\x1b[31m1'"),
    ],
)
def test_a_bad_result_is_a_missing_trial_with_its_reason(tmp_path: Path, content: bytes, problem: str) -> None:
    folder = tmp_path / "pyautogui/screenshot/m/os/t"
    folder.mkdir(parents=True)
    (folder / "result.txt").write_bytes(content)
    (trial,) = scan(tmp_path)
    assert trial.score is None
    assert trial.problem is not None and problem in trial.problem


@pytest.mark.parametrize("text", [b"1", b"1.0\n", b" 0.25 ", b"0", b"1e-1"])
def test_reads_numbers_as_the_seeds_write_them(text: bytes) -> None:
    assert parse_score(text) == (float(text), None)


def test_reasons_why_there_is_no_score(tmp_path: Path) -> None:
    base = tmp_path / "pyautogui/screenshot/m/os"
    for name in ("seed_error", "ours", "cut", "empty", "pictures"):
        (base / name).mkdir(parents=True)
    (base / "seed_error/traj.jsonl").write_text('{"step_num": 1}\n{"Error": "Time limit exceeded in os/seed_error"}\n')
    (base / "ours/events.jsonl").write_text(
        '{"event":"started","task":{"domain":"os","id":"ours","kind":"benign"}}\n'
        '{"event":"ended","unscored":"setup_error","detail":"step 2 failed"}\n'
    )
    (base / "cut/traj.jsonl").write_text('{"step_num": 1}\n{"step_nu')
    (base / "pictures/step_0.png").write_bytes(b"")
    trials = {t.unit.task: t for t in scan(tmp_path)}
    assert {name: t.problem for name, t in trials.items()} == {
        "seed_error": "error in traj.jsonl: Time limit exceeded in os/seed_error",
        "ours": "setup_error: step 2 failed",
        "cut": "unfinished: no result.txt",
        "empty": "the folder is empty",
        "pictures": "unfinished: no result.txt",
    }
    assert trials["ours"].kind == "benign"


def test_attempts_set_aside_are_not_trials(tmp_path: Path) -> None:
    write_run(tmp_path, {"os/a": 1})
    write_run(tmp_path / ".attempts", {"os/a": 0})
    assert [t.score for t in scan(tmp_path)] == [1.0]


def test_a_model_may_be_called_like_a_file_of_an_episode(tmp_path: Path) -> None:
    for name in ("step_2", "traj.jsonl"):
        write_run(tmp_path, {"os/a": 1}, condition=f"pyautogui/screenshot/{name}")
        with pytest.raises(InputError, match="holds no episode"):
            read_episode(tmp_path / "pyautogui/screenshot")
    assert [t.score for t in scan(tmp_path)] == [1.0, 1.0]


def test_another_file_may_hold_the_score(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"reddit/a": 1})
    (run / "pyautogui/screenshot/some-model/reddit/a/adversary_result.txt").write_text("0.0")
    assert [t.score for t in scan(tmp_path, "adversary_result.txt")] == [0.0]


def test_unusable_folders_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        scan(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is a file"):
        scan(tmp_path / "file")
    assert scan(tmp_path) == []


@contextmanager
def not_root() -> Generator[None]:
    """Give up root's right to read everything for a while."""
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)


def test_an_unreadable_folder_is_an_input_error() -> None:
    with TemporaryDirectory() as name:
        run = write_run(Path(name), {"os/a": 1})
        run.chmod(0o755)
        (run / "pyautogui").chmod(0)
        with not_root(), pytest.raises(InputError, match=r"pyautogui.*cannot be read; check its permissions"):
            scan(run)
        (run / "pyautogui").chmod(0o700)


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write_run(tmp_path, {"os/a": 1})
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [t.unit.task for t in scan(tmp_path)] == ["a"]


def test_links_between_siblings_are_followed_once(tmp_path: Path) -> None:
    write_run(tmp_path / "all", {"os/a": 1})
    outside = write_run(tmp_path / "elsewhere", {"os/b": 1}) / "pyautogui/screenshot/some-model/os/b"
    domain = tmp_path / "all/pyautogui/screenshot/some-model/os"
    (domain / "b").symlink_to(outside)
    for i in range(6):
        (tmp_path / f"all/x{i}").mkdir()
        for j in range(6):
            (tmp_path / f"all/x{i}/to{j}").symlink_to(tmp_path / f"all/x{j}")
    assert [t.unit.task for t in scan(tmp_path / "all")] == ["a", "b"]


def test_what_is_no_file_is_a_missing_trial(tmp_path: Path) -> None:
    base = tmp_path / "pyautogui/screenshot/m/os"
    for name in ("pipe", "loop", "folder"):
        (base / name).mkdir(parents=True)
    os.mkfifo(base / "pipe/result.txt")
    (base / "loop/result.txt").symlink_to("result.txt")
    (base / "folder/result.txt").mkdir()
    problems = {t.unit.task: t.problem for t in scan(tmp_path)}
    assert problems["pipe"] == "result.txt is not a file" == problems["folder"]
    assert problems["loop"] is not None and problems["loop"].startswith("result.txt cannot be read")


def test_a_folder_with_another_result_only_says_which_file_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "pyautogui/screenshot/m/os"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
    (folder / "a/result.txt").write_text("1")
    (folder / "b/adversary_result.txt").write_text("1")
    assert {t.unit.task: t.problem for t in scan(tmp_path, "adversary_result.txt")} == {
        "a": "unfinished: no adversary_result.txt",
        "b": None,
    }
