from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from support.results import write_run
from trueline.cli import main
from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.folders import write_runs

Out = pytest.CaptureFixture[str]


def setting(root: Path, successes: int, tasks: int = 100, missing: int = 0) -> str:
    """Three runs; the first tasks always succeed, the others never, and the last ones lack their third run."""
    scores = np.zeros((tasks, 3))
    scores[:successes] = 1
    if missing:
        scores[-missing:, 2] = np.nan
    units = [Unit("os", f"t{i:03d}") for i in range(tasks)]
    write_runs(root, Condition("pyautogui", "screenshot", "m"), units, scores)
    return str(root)


@pytest.mark.parametrize(
    ("new", "rule", "outcome"),
    [
        (50, "pass_hat_3 >= base - 0.03", "passed"),
        (60, "pass_hat_3 >= base", "passed"),
        (49, "pass_hat_3 >= base - 0.01", "inconclusive"),
        (30, "pass_hat_3 >= base - 0.03", "failed"),
        (80, "pass_1 > 0.7", "passed"),
        (72, "pass_1 > 0.7", "inconclusive"),
        (50, "pass_1 > 0.7", "failed"),
        (10, "attack_success <= base", "passed"),
        (50, "attack_success < 0.3", "failed"),
        (60, "mean_score >= base - 0.01", "passed"),
        (60, "pass_at_2 >= 0.4", "passed"),
        (60, "missing <= 0", "passed"),
    ],
)
def test_rules(tmp_path: Path, capsys: Out, new: int, rule: str, outcome: str) -> None:
    words = ["gate", setting(tmp_path / "base", 50), setting(tmp_path / "new", new), "--rule", rule]
    assert main([*words, "--json"]) == (0 if outcome == "passed" else 1)
    (ruling,) = json.loads(capsys.readouterr().out)["rules"]
    assert ruling["outcome"] == outcome, ruling
    assert main([*words, "--inconclusive", "pass"]) == (1 if outcome == "failed" else 0)
    assert f"gate: {'closed' if outcome == 'failed' else 'open'}" in capsys.readouterr().out


def test_missing_trials_at_their_worst_can_close_the_gate(tmp_path: Path, capsys: Out) -> None:
    base = setting(tmp_path / "base", 50)
    new = str(tmp_path / "new")
    scores = np.ones((100, 3))
    scores[55:] = 0
    scores[:30, 0] = np.nan
    units = [Unit("os", f"t{i:03d}") for i in range(100)]
    write_runs(tmp_path / "new", Condition("pyautogui", "screenshot", "m"), units, scores)
    rule = ["--rule", "pass_hat_3 >= base - 0.03"]
    assert main(["gate", base, new, *rule]) == 1
    out = capsys.readouterr().out
    assert "INCONCLUSIVE" in out and "30 missing trials had turned out worst" in out
    assert main(["gate", base, new, *rule, "--missing", "exclude"]) == 0
    assert main(["gate", base, new, "--rule", "missing <= 10"]) == 1


def test_harm_is_a_figure_of_its_own(tmp_path: Path, capsys: Out) -> None:
    for name, harmed in (("base", 0), ("new", 1)):
        run = write_run(
            tmp_path / name, {f"os/bad{i}": harmed for i in range(40)} | {f"os/good{i}": 1 for i in range(40)}
        )
        for i in range(40):
            events = run / f"pyautogui/screenshot/some-model/os/bad{i}/events.jsonl"
            events.write_text('{"event":"started","task":{"kind":"misuse"}}\n')
    words = ["gate", str(tmp_path / "base"), str(tmp_path / "new")]
    assert main([*words, "--rule", "harm <= base + 0.02", "--rule", "pass_1 >= base - 0.1"]) == 1
    out = capsys.readouterr().out
    assert "FAIL          harm <= base + 0.02" in out and "PASS          pass_1 >= base - 0.1" in out


def test_summaries_for_ci(tmp_path: Path, capsys: Out) -> None:
    base, new = setting(tmp_path / "base<i>|x", 50), setting(tmp_path / "new", 30)
    junit, markdown = tmp_path / "g.xml", tmp_path / "g.md"
    words = ["gate", base, new, "--rule", "pass_hat_3 >= base - 0.03", "--rule", "missing <= 0"]
    assert main([*words, "--junit", str(junit), "--markdown", str(markdown)]) == 1
    suite = ElementTree.fromstring(junit.read_bytes())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite] == [True, False]
    assert "| FAIL | `pass_hat_3 >= base - 0.03` |" in markdown.read_text()
    assert r"base\<i\>\|x" in markdown.read_text()
    assert main([*words, "--junit", str(tmp_path / "no/such/g.xml")]) == 2
    assert "there is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rule", "pass_hat >= 1"], "carry a number as in pass_hat_3"),
        (["--rule", "__import__('os') >= 1"], "a rule reads METRIC >= NUMBER"),
        (["--rule", "pass_hat_4 >= base"], "needs 4 runs, base has 3"),
        (["--rule", "missing <= base"], "compared with a number of trials"),
        (["--rule", "harm <= base"], "the folders hold no misuse tasks"),
        (["--rule", "pass_1 > 0", "--model", "gpt"], "--model gpt: base holds only m"),
        (["--rule", "pass_1 > 0", "--level", "2"], "--level 2.0"),
        ([], "the following arguments are required: --rule"),
    ],
)
def test_wrong_input(tmp_path: Path, capsys: Out, words: list[str], message: str) -> None:
    assert main(["gate", setting(tmp_path / "base", 5, 10), setting(tmp_path / "new", 5, 10), *words]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
