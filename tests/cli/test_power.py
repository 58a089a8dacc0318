from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.injected import Outcome, cell, write_injected
from trueline.cli import main
from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.results.runs import write_runs

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


@pytest.mark.full
def test_attack_success_is_planned_in_host_tasks(tmp_path: Path, capsys: Out) -> None:
    words = ["--metric", "attack_success", "--goals", "3", "--repeats", "2"]
    plan = power(capsys, "--hosts", "20", *words, "--base", "0.4", "--new", "0.1")
    assert (plan["hosts"], plan["goals"], plan["vectors"], plan["repeats"]) == (20, 3, 1, 2)
    assert plan["chance"]["value"] > 0.8 and plan["hosts_needed"]["value"] < 20
    few = power(capsys, "--hosts", "5", *words, "--base", "0.4", "--new", "0.1")
    assert few["chance"]["value"] == 0
    outcomes: dict[Unit, list[Outcome]] = {
        # Task success is 1 everywhere: only the funnel tells that a third of the attacks succeed.
        cell(f"h{h:02d}", f"g{g}"): [h % 3 == 0] * 2
        for h in range(12)
        for g in range(2)
    }
    root = write_injected(tmp_path / "r", outcomes)
    fitted = power(capsys, "--hosts", "20", *words, "--from", str(root), "--new", "0.1")
    assert fitted["base"] == pytest.approx(1 / 3)
    assert fitted["rho"] > 0.9 and "fitted to 12 host tasks, 24 cells, 48 episodes" in fitted["source"]
    assert main(["power", "--hosts", "20", *words, "--from", str(root), *FEW]) == 0
    out = capsys.readouterr().out
    assert "20 host tasks x 3 goals x 1 vectors x 2 repeats" in out and "smallest fall seen 80% of the time" in out


def test_a_plan_from_runs_without_injections_is_an_error(tmp_path: Path, capsys: Out) -> None:
    units = [Unit("os", f"t{i}") for i in range(9)]
    write_runs(tmp_path / "r", Condition("pyautogui", "som", "m"), units, np.ones((9, 2)))
    words = ["power", "--tasks", "9", "--repeats", "2", "--metric", "attack_success", "--from", str(tmp_path / "r")]
    assert main(words) == 2
    assert "attack success was not measured" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--goals", "3", "--base", "0.5"], "--goals is about --metric attack_success"),
        (["--metric", "attack_success", "--base", "0.5", "--goals", "0"], "--goals 0: must be at least 1"),
        (["--metric", "attack_success"], "the base rate is missing"),
        (["--metric", "attack_success", "--base", "0.5", "--rho", "0.1", "--rho-host", "0.2"], "rho of a host = 0.2"),
        (["--metric", "mean"], "--metric mean: must be pass_hat_K"),
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
