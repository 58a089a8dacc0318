"""Episodes that are played anew: asked for by name, deleted by the user, or damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.small_suite import write_suite
from trueline.cli import main
from trueline.records import attempts_of
from trueline.records.episode_state import read_state

SCREEN = ["--screen_width", "640", "--screen_height", "480", "--progress", "none"]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: None) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", "t0", "t1")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    code = main(["run", "--suite", "suite", "--agent", "noop", "--max_steps", "1", *words, *SCREEN, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def attempts(task: str) -> list[Path]:
    root = Path("results")
    (folder,) = root.glob(f"*/*/*/os/{task}")
    return list(attempts_of(root, folder))


def test_a_pattern_that_matches_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--rerun", "os/t0", "chrome/*", "--dry_run")
    assert code == 2
    assert "--rerun chrome/*: matches none of the 2 episodes" in err
    assert "such as os/t0" in err
    code, found, err = run(capsys, "--rerun", "os/t*", "--dry_run")
    assert (code, found["to_run"]) == (0, 2)
    assert "--rerun: 2 of 2 episodes match" in err


@pytest.mark.full
def test_what_is_named_deleted_or_damaged_is_played_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys)[0] == 0
    assert (attempts("t0"), attempts("t1")) == ([], [])
    code, found, _ = run(capsys, "--rerun", "os/t1")
    assert (code, found["scored"]) == (0, 2)
    assert (len(attempts("t0")), len(attempts("t1"))) == (0, 1)
    (result,) = Path("results").glob("*/*/*/os/t0/result.txt")
    result.unlink()
    assert run(capsys, "--dry_run")[1]["to_run"] == 1
    assert run(capsys)[0] == 0
    assert len(attempts("t0")) == 1
    result.write_text("")
    assert run(capsys)[0] == 0
    assert len(attempts("t0")) == 2
    assert (attempts("t0")[1] / "result.txt").read_text() == ""
    assert read_state(result.parent).score is not None
    assert len(attempts("t1")) == 1
