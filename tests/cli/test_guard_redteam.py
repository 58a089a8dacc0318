"""`trueline guard redteam` through the program's own entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.cli import main


def test_the_policy_stage_alone_needs_no_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "redteam", "--budget", "28", "--k", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["attempts"], report["mode"], report["k"], report["guard"]["name"]) == (28, "static", 1, "deaction")
    assert len(report["techniques"]) == 9 and report["cost"] == 0.0
    assert report["controls"]["blocked"]["n"] == 16
    low, high = report["passing"]["worst_of_k"]["ci"]
    assert 0 <= low <= report["passing"]["worst_of_k"]["rate"] <= high <= 1
    assert report["subject"].startswith("simulated")


def test_the_same_seed_gives_the_same_report(capsys: pytest.CaptureFixture[str]) -> None:
    reports: list[str] = []
    for words in (["--seed", "3"], ["--seed", "3", "--max-workers", "1"], ["--seed", "4"]):
        assert main(["guard", "redteam", "--adaptive", "--budget", "40", "--k", "2", "--json", *words]) == 0
        report = json.loads(capsys.readouterr().out)
        report.pop("seed")
        reports.append(json.dumps(report))
    assert reports[0] == reports[1] != reports[2]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["guard", "redteam", "--detector", "always-aligned", "--technique", "click_only", "paste", "--k", "2"]
    assert main(command) == 0
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "technique aim n at 1 worst of 2 undecided"
    assert "click_only pass 5 5/5 100 % [57, 100] 5/5 100 % [57, 100] 0" in lines
    assert "controls stopped: 0/16 0 % [0, 19]; undecided: 0" in out


@pytest.mark.parametrize(("limit", "code"), [("0.5", 1), ("1", 0)])
def test_a_limit_for_ci(limit: str, code: int) -> None:
    command = ["guard", "redteam", "--detector", "always-aligned", "--technique", "click_only", "--fail-above", limit]
    assert main(command) == code


def test_a_guard_with_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "model.json"
    script.write_text(json.dumps({"rules": [{"answer": {"json": {"thought": "no", "align": False}}}]}))
    command = ["guard", "redteam", "--no-policy", "--fast-check-model", f"scripted|{script}"]
    assert main([*command, "--budget", "5", "--k", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["passing"]["worst_of_k"]["count"] == 0 and report["usage"]["calls"] > 5
    assert report["guard"]["fast_check_model"] == f"scripted|{script}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--technique", "magic"], "--technique: unknown technique 'magic'; choose one of screen_text_guard"),
        (["--attacker-model", "scripted|x.json"], "requires --adaptive"),
        (["--budget", "0"], "argument --budget: must be greater than 0, not 0"),
        (["--fail-above", "2"], "must be between 0 and 1, not 2"),
        (["--no-policy"], "no stage is left to judge"),
        (["--detector", "inferact"], "name it with --systematic_analysis_model"),
    ],
)
def test_wrong_flags_give_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "redteam", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1
