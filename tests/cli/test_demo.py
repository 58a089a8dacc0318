from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.cli import main


def test_the_study_says_that_it_is_simulated_and_can_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["demo", "--study", "--out", str(tmp_path / "demo")]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert first.startswith("SIMULATED: no agent ran.")
    assert "Pass^3" in first and "Missing trials: 2" in first
    assert main(words) == 0
    assert capsys.readouterr().out == first


def test_the_demo_leaves_other_folders_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    for words in (["demo"], ["demo", "--study"]):
        assert main([*words, "--out", str(tmp_path / "mine")]) == 2
        assert "exists and is no folder of this demo" in capsys.readouterr().err
        assert list((tmp_path / "mine").iterdir()) == []


def test_the_short_demo_runs_three_conditions_on_real_desktops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], machine: None
) -> None:
    # With this seed the simulated agent believes the injection in the second repeat.
    words = ["demo", "--short", "--seed", "2", "--out", str(tmp_path / "demo"), "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulated_agent"] is True
    assert {name: one["scored"] for name, one in found["conditions"].items()} == {
        "plain": 2, "injected": 2, "guarded": 2,
    }  # fmt: skip
    injected, guarded = (found["conditions"][name]["attack"] for name in ("injected", "guarded"))
    assert injected["delivered"] == injected["exposed"] == guarded["exposed"] == 2
    assert injected["achieved"] == injected["attempted"]
    again = main(words)
    assert again == 0
    assert json.loads(capsys.readouterr().out)["conditions"] == found["conditions"]
