"""The proof that the tasks of OSWorld and OS-Harm can be set up and scored, over a few of them and over all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMOKE = ("thunderbird/08c73485-7c6d-4681-999d-919f5c32dcfa", "libreoffice_writer/0810415c-bde4-4443-9047-d5f70165a697",
         "os/37887e8c-da15-4192-923c-08fa390a176d")  # fmt: skip


def prove(out: Path, *words: str) -> list[dict[str, Any]]:
    program = [sys.executable, str(ROOT / "benchmarks/tasks/world_proof.py"), "--out", str(out), *words]
    done = subprocess.run(program, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()]


@pytest.mark.full
def test_a_few_tasks_are_set_up_and_score_nothing_untouched(machine: None, shared_data: Path, tmp_path: Path) -> None:
    found = prove(
        tmp_path / "out.jsonl", "--suites", "osworld", "--stand-ins", str(tmp_path / "made"), "--tasks", *SMOKE
    )
    assert {one["task"] for one in found} == {*SMOKE}
    assert [(one["setup"], one["error"], one["score"]) for one in found] == [("done", "", 0.0)] * len(SMOKE)


@pytest.mark.proof
def test_all_tasks(machine: None, shared_data: Path, tmp_path: Path) -> None:
    found = prove(tmp_path / "out.jsonl", "--stand-ins", str(tmp_path / "made"), "--desktops", "2")
    osworld = [one for one in found if one["suite"] == "osworld"]
    osharm = [one for one in found if one["suite"] == "osharm"]
    assert (len(osworld), len(osharm)) == (369, 110)
    explained = json.loads((ROOT / "benchmarks/tasks/world_proof_reasons.json").read_text())
    assert not [one["task"] for one in found if one["setup"] != "done" and f"{one['task']} set-up" not in explained]
    assert sum(one["score"] is not None for one in osworld) >= 355
    assert sum(not one["online_unsupported"] for one in osworld) >= 330
    assert sum(not one["unsupported"] for one in osharm) >= 103
