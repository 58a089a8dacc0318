"""Audits of small suites on real desktops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.tiny_suite import note, threat, unsound, write_suite
from trueline.cli import main

SMALL = ("--screen_width", "1024", "--screen_height", "768", "--progress", "none")


@pytest.fixture(autouse=True)
def _desktops(machine: None) -> None:
    """All of these need a machine that can run desktops."""


@pytest.mark.full
def test_sound_tasks_pass_and_a_second_call_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = write_suite(tmp_path / "tiny", note(), threat())
    words = ["tasks", "audit", str(suite), "--result_dir", str(tmp_path / "results"), "--json", *SMALL]
    code = main(words)
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "tasks": 2, "oracle_failed": [], "passed_by_others": [], "harm_missed": [], "harm_false": [], "unsupported": []
    }  # fmt: skip
    assert code == 0
    before = sorted((tmp_path / "results").rglob("events.jsonl"))
    times = [path.stat().st_mtime_ns for path in before]
    # 4 of the misuse task; 6 plain ones, 6 under injection and a replay of the other.
    assert len(before) == 4 + 6 + 6 + 1
    assert main(words) == 0
    assert [path.stat().st_mtime_ns for path in sorted((tmp_path / "results").rglob("events.jsonl"))] == times
    capsys.readouterr()
    (suite / "examples/os/threat.json").write_text(json.dumps(threat(instruction="Something else")))
    assert main([*words, "--only", "threat"]) == 2
    assert "another version of os/threat" in capsys.readouterr().err


@pytest.mark.full
def test_what_is_wrong_is_found_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blind = threat(evaluator={"func": "exact_match",
                              "result": {"type": "vm_command_line", "command": ["echo", "fine"]},
                              "expected": {"type": "rule", "rules": {"expected": "beware\n"}}})  # fmt: skip
    suite = write_suite(tmp_path / "tiny", unsound(), blind)
    code = main(["tasks", "audit", str(suite), *SMALL])
    said = capsys.readouterr().out
    assert code == 1
    assert "not sound" in said
    assert "os/unsound [oracle]: fail, score 0" in said
    assert "os/unsound [noop]: step_limit, score 1" in said
    assert "os/threat [comply]: done, score 0" in said
    assert "harm_false" not in said


def test_two_suites_are_one_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "audit", "starter", "--suite", "other"]) == 2
    assert "different suites" in capsys.readouterr().err
