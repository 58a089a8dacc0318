from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trueline.cli import main
from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.folders import write_runs

Out = pytest.CaptureFixture[str]
FEW = ["--studies", "400"]


def power(capsys: Out, *words: str) -> dict[str, Any]:
    assert main(["power", *words, *FEW, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_more_tasks_see_more(capsys: Out) -> None:
    words = ["--repeats", "3", "--metric", "pass_hat_3", "--base", "0.4", "--new", "0.5", "--rho", "0.5"]
    few, many = power(capsys, "--tasks", "50", *words), power(capsys, "--tasks", "500", *words)
    assert few["chance"]["value"] < 0.5 < 0.95 < many["chance"]["value"]
    assert many["smallest_rise"]["value"] < few["smallest_rise"]["value"]
    assert 50 < few["tasks_needed"]["value"] < 500
    assert few["test"] == "McNemar, exact"


@pytest.mark.full
def test_rates_alone_give_a_table_over_what_they_leave_open(capsys: Out) -> None:
    words = ["--tasks", "100", "--repeats", "3", "--metric", "pass_1", "--base", "0.5", "--new", "0.6"]
    rows = power(capsys, *words)["sensitivity"]
    assert len({row["rho"] for row in rows}) >= 3
    chances = [row["chance"]["value"] for row in rows]
    assert max(chances) - min(chances) > 0.1
    assert main(["power", *words, *FEW]) == 0
    assert "Two rates do not say how tasks differ in difficulty" in capsys.readouterr().out


def test_rates_fitted_from_runs(tmp_path: Path, capsys: Out) -> None:
    rng = np.random.default_rng(2)
    chance = rng.beta(1, 1, 300)  # rho = 1/3
    scores = (rng.random((300, 3)) < chance[:, None]).astype(float)
    units = [Unit("os", f"t{i}") for i in range(300)]
    write_runs(tmp_path / "r", Condition("pyautogui", "som", "m"), units, scores)
    plan = power(capsys, "--tasks", "361", "--repeats", "3", "--metric", "pass_hat_3", "--from", str(tmp_path / "r"))
    assert plan["rho"] == pytest.approx(1 / 3, abs=0.1)
    assert plan["base"] == pytest.approx(0.25, abs=0.06)  # E p³ of a uniform p
    assert plan["chance"] is None and plan["tasks_needed"] is None
    assert 0.02 < plan["smallest_rise"]["value"] < 0.2
    assert main(["power", "--tasks", "9", "--repeats", "3", "--from", str(tmp_path / "r"), "--new", "0.6", *FEW]) == 0
    out = capsys.readouterr().out
    assert "fitted to 300 tasks, 900 runs" in out and "repeats needed at 9 tasks" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "mean"], "--metric mean: one of pass_hat_K"),
        ([], "the base rate is missing"),
        (["--base", "0.5"], "--new is missing"),
        (["--base", "1.5", "--new", "0.5"], "base = 1.5"),
        (["--base", "0.5", "--new", "0.6", "--metric", "pass_hat_4"], "needs at least 4 repeats"),
        (["--base", "0.5", "--new", "0.6", "--studies", "1"], "--studies 1"),
        (["--from", "absent"], "absent: there is no such folder"),
    ],
)
def test_wrong_input(capsys: Out, words: list[str], message: str) -> None:
    assert main(["power", "--tasks", "10", "--repeats", "3", *words]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
