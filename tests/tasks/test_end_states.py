"""OSWorld's tasks can be solved: scripted end states score 1, untouched desktops do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).parents[2] / "benchmarks/tasks/end_states/run.py"
QUICK = ("f9be0997", "6f56bf42", "8ba5ae7a")
"""A setting, files with a stand-in of a script, and an application's settings."""


def run(shared_data: Path, out: Path, *arguments: str) -> list[dict[str, Any]]:
    """The results of a run, a task each."""
    index = shared_data / "osworld/osworld369/test_all.json"
    command = [sys.executable, str(RUN), str(index), "--out", str(out), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()]


def failures(trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [trial for trial in trials if trial["score"] != 1 or not (trial["untouched"] or 0) < 1]


@pytest.mark.full
def test_end_states_of_three_kinds_score(shared_data: Path, tmp_path: Path) -> None:
    trials = run(shared_data, tmp_path / "out.jsonl", "--tasks", *QUICK)
    assert len(trials) == len(QUICK) and not failures(trials)
    # A task that is done is not run again.
    assert run(shared_data, tmp_path / "out.jsonl", "--tasks", *QUICK) == trials


@pytest.mark.proof
def test_every_end_state_that_is_claimed_scores(shared_data: Path, tmp_path: Path) -> None:
    trials = run(shared_data, tmp_path / "out.jsonl", "--claimed")
    assert len(trials) >= 120 and len({trial["domain"] for trial in trials}) == 10
    assert not failures(trials)
