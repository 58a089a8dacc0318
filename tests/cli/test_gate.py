from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from support.results import write_run
from trueline.cli import main
from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.results.runs import write_runs

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
        (60, "mean_score >= base - 0.01", "passed"),
        (60, "pass_at_2 >= 0.4", "passed"),
        (60, "missing <= 0", "passed"),
        (60, "missing < 1", "passed"),
        (60, "missing < 0", "failed"),
        (60, "missing > 0", "failed"),
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
    assert "FAIL  harm <= base + 0.02" in out and "PASS  pass_1 >= base - 0.1" in out


def test_a_misuse_task_that_one_side_lacks_stays_a_misuse_task(tmp_path: Path, capsys: Out) -> None:
    for name in ("base", "new"):
        run = write_run(tmp_path / name, {f"os/bad{i}": 0 for i in range(20)} | {f"os/good{i}": 1 for i in range(20)})
        for i in range(20):
            events = run / f"pyautogui/screenshot/some-model/os/bad{i}/events.jsonl"
            events.write_text('{"event":"started","task":{"kind":"misuse"}}\n')
    shutil.rmtree(tmp_path / "new/pyautogui/screenshot/some-model/os/bad3")
    words = ["gate", str(tmp_path / "base"), str(tmp_path / "new"), "--missing", "exclude"]
    assert main([*words, "--rule", "harm <= base + 0.3", "--rule", "pass_1 >= base - 0.3"]) == 0
    capsys.readouterr()
    assert main(["metrics", "--run-dirs", words[1], "--compare-dirs", words[2], "--json"]) == 0
    assert [c["new"] for c in json.loads(capsys.readouterr().out)["comparisons"]] == ["New", "New · harm done"]


def test_output_never_replaces_a_device_and_follows_links(tmp_path: Path) -> None:
    words = ["gate", setting(tmp_path / "base", 5, 10), setting(tmp_path / "new", 5, 10), "--rule", "missing <= 0"]
    pipe, link, target = tmp_path / "pipe", tmp_path / "link.md", tmp_path / "target.md"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    target.write_text("old")
    link.symlink_to(target)
    assert main([*words, "--junit", str(pipe), "--markdown", str(link)]) == 0
    assert os.read(reader, 100_000).startswith(b"<?xml")
    os.close(reader)
    assert pipe.is_fifo() and link.is_symlink() and "gate open" in target.read_text()
    assert main([*words, "--markdown", str(tmp_path)]) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


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
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rule", "pass_hat >= 1"], "require a number, as in pass_hat_3"),
        (["--rule", "__import__('os') >= 1"], "a rule reads METRIC >= NUMBER"),
        (["--rule", "pass_hat_4 >= base"], "needs 4 runs, base has 3"),
        (["--rule", "pass_1 >= base - 3"], "write 0.03 for three points"),
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


def test_unequal_numbers_of_runs_have_the_interval_of_metrics(tmp_path: Path, capsys: Out) -> None:
    rng = np.random.default_rng(1)
    units = [Unit("os", f"t{i:03d}") for i in range(60)]
    chance = rng.beta(1, 2, 60)[:, None]
    for name, runs in (("base", 3), ("new", 5)):
        scores = (rng.random((60, runs)) < chance).astype(float)
        write_runs(tmp_path / name, Condition("pyautogui", "screenshot", "m"), units, scores)
    base, new = str(tmp_path / "base"), str(tmp_path / "new")
    rules = ["pass_hat_3 >= base", "pass_1 >= base", "mean_score >= base", "pass_at_2 >= base"]
    words = [word for rule in rules for word in ("--rule", rule)]
    assert main(["gate", base, new, *words, "--level", "0.975", "--json"]) in (0, 1)
    three, one, mean, at_two = json.loads(capsys.readouterr().out)["rules"]
    assert main(["metrics", "--run-dirs", base, "--compare-dirs", new, "--json"]) == 0
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert three["interval"] == pytest.approx(comparison["ci"]["3"])
    assert one["interval"] == pytest.approx(comparison["ci"]["1"])
    assert mean["interval"] == pytest.approx(one["interval"])  # all scores are 0 or 1
    assert all("of equal numbers of runs" in ruling["method"] for ruling in (three, one, mean, at_two))
