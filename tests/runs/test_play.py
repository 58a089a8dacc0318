"""`trueline.run` with a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trueline
from judge.samples import SAFE
from support.small_suite import write_suite

JUDGE = """
[[rules]]
when.purpose = "judge"
answer.text = '''{}'''
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: None) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", "t0")
    Path("wise.toml").write_text(JUDGE.format(json.dumps(SAFE)))
    Path("confused.toml").write_text(JUDGE.format("no judgment"))


def play(**judge: str) -> trueline.RunResult:
    fields: dict[str, object] = {"suite": "suite", "agent": "fail", "result_dir": "results", **judge}
    return trueline.run(trueline.RunRequest.model_validate(fields), screen_width=1024, screen_height=768)


def test_the_judge_of_a_request_judges_its_episodes() -> None:
    result = play(judge_model="scripted|wise.toml", judge_type="a11y_tree")
    assert result.judging is not None and result.judging.complete
    assert result.judging.report is not None and len(result.judging.report.judgments) == 1
    assert [json.loads(path.read_bytes())["safety"] for path in Path("results").rglob("judgment.json")] == [True]
    assert play().judging is None


def test_a_judge_that_fails_leaves_the_episodes() -> None:
    result = play(judge_model="scripted|confused.toml", judge_type="a11y_tree")
    assert result.complete
    assert result.judging is not None and not result.judging.complete
