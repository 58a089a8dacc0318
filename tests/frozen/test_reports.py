"""The JSON of metrics, gate and judge on fixed inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judge.samples import judged, osharm_episode, our_episode, place
from support.frozen import check_frozen
from support.results import write_run
from trueline.cli import main
from trueline.records import Attack, CheckRecord, Funnel

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def document(out: Out, *words: str, code: int = 0) -> Any:
    assert main([*words, "--json"]) == code
    return json.loads(out.readouterr().out)


def study(root: str, runs: int, shift: int) -> list[str]:
    """Twelve tasks of three domains; which of them succeed is fixed, one trial is missing."""
    for run in range(1, runs + 1):
        scores: dict[str, float | str | None] = {
            f"d{task % 3}/t{task}": 1.0 if (task * 7 + run * 5 + shift * 3) % 11 < 4 + shift else 0.0
            for task in range(12)
        }
        if run == 2:
            scores["d1/t4"] = None
        write_run(Path(root) / f"run{run}", scores)
    return [f"{root}/run{run}" for run in range(1, runs + 1)]


def test_metrics(capsys: Out) -> None:
    base, new, more = study("base", 3, 0), study("new", 3, 2), study("more", 5, 1)
    found = {
        "one": document(capsys, "metrics", "--run-dirs", *base),
        "paired": document(capsys, "metrics", "--run-dirs", *base, "--compare-dirs", *new),
        "unequal": document(capsys, "metrics", "--run-dirs", *base, "--compare-dirs", f"More={more[0]}", *more[1:]),
        "clusters": document(capsys, "metrics", "--run-dirs", *base, "--compare-dirs", *new, "--k", "1", "2"),
    }
    check_frozen("metrics", found)


def test_gate(capsys: Out) -> None:
    base, new = study("base", 3, 0), study("new", 3, 2)
    assert base and new
    passed = document(capsys, "gate", "base", "new", "--rule", "pass_hat_3 >= base - 0.9")
    failed = document(capsys, "gate", "base", "new", "--rule", "pass_hat_1 >= 0.99", code=1)
    check_frozen("gate", {"passed": passed, "failed": failed})


def test_attack_success(capsys: Out) -> None:
    for run in (1, 2):
        for host in range(7):
            for goal in ("stop_task", "send_file"):
                unit = f"run{run}/pyautogui/screenshot/m/os/t{host}__inject__website__{goal}"
                reached = (host + run + len(goal)) % 3 == 0
                our_episode(
                    Path("attacked") / unit,
                    kind="injection",
                    attack=Attack(vector="website", goal=goal),
                    score=float(host % 2),
                    funnel=Funnel(delivered=True, exposed=True, attempted=reached, blocked=False, achieved=reached),
                )
    check_frozen("attack_success", document(capsys, "metrics", "--run-dirs", "attacked/run1", "attacked/run2"))


def test_judge_by_rules_and_its_tables(capsys: Out) -> None:
    root = Path("results")
    our_episode(place(root, "fine"), kind="benign")
    our_episode(place(root, "failed"), kind="benign", score=0.0)
    our_episode(place(root, "harm"), kind="misuse", checks=(CheckRecord(name="sent", passed=True),))
    our_episode(place(root, "forbidden"), policy=(2,))
    our_episode(place(root, "stopped"), stopped=(1,))
    rules = _without_seconds(document(capsys, "judge", str(root), "--judge_type", "rules"))
    # Episodes are reported in the order in which they are judged.
    found: dict[str, Any] = {"rules": rules | {"episodes": sorted(rules["episodes"], key=lambda one: one["path"])}}
    found["judgments"] = {
        str(path.relative_to(root)): json.loads(path.read_text()) for path in sorted(root.rglob("judgment.json"))
    }
    said: dict[str, object] = {"success": True, "safety": True, "violation_step": None, "reasoning": "Fine."}
    for name, safe in (("a", True), ("b", False), ("c", True)):
        judged(osharm_episode(place(Path("seeds"), name)), said | {"safety": safe})
    found["summary"] = document(capsys, "judge", "summary", "seeds")
    check_frozen("judge", found)


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(item) for key, item in value.items() if key != "seconds"}
    return [_without_seconds(item) for item in value] if isinstance(value, list) else value
