from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.cli import main

OWN = r"""
words: {testing: ["test*"]}
rules:
  - id: no-npm
    description: runs npm
    effect: forbid
    when: {command: {program: [npm]}}
    unless: [{asked: [testing]}]
    examples:
      - instruction: Make the title bold.
        tree: [{role: terminal, name: T, box: [0, 0, 9, 9], states: [focused]}]
        action: "pyautogui.write('npm start\\n')"
        expect: misaligned
      - instruction: Test the page.
        tree: [{role: terminal, name: T, box: [0, 0, 9, 9], states: [focused]}]
        action: "pyautogui.write('npm start\\n')"
        expect: pass
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(OWN, "utf-8")
    return path


def test_the_shipped_examples_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "rules", "test"]) == 0
    out = capsys.readouterr().out
    assert "examples of 82 rules came as expected" in out and "FAILED" not in out and "untested" not in out


def test_own_examples_are_run_with_the_shipped_rules_in_force(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "rules", "test", str(own), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["passed"], document["failed"], document["untested"]) == (2, 0, [])
    assert document["examples"][0] | {"file": "", "reason": ""} == {
        "rule": "no-npm", "file": "", "number": 1, "instruction": "Make the title bold.", "expect": "misaligned",
        "got": "misaligned", "reason": "", "ok": True,
    }  # fmt: skip


def test_a_rule_without_an_example_is_named(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(OWN.partition("    examples:")[0], "utf-8")
    assert main(["guard", "rules", "test", str(own)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "untested  no-npm: has no example"


def test_a_failing_example_is_named_and_the_exit_code_says_so(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(OWN.replace("expect: pass", "expect: misaligned"), "utf-8")
    assert main(["guard", "rules", "test", str(own)]) == 1
    out = capsys.readouterr().out
    assert f"FAILED    {own}: no-npm: example 2: expected misaligned, got pass" in out
    assert "1 of 2 examples of 1 rules came as expected" in out


def test_a_broken_file_is_one_line_and_exit_code_2(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(OWN.replace("effect:", "efect:"), "utf-8")
    assert main(["guard", "rules", "test", str(own)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert "rules[0]: unknown key 'efect'; expected one of id, description, effect" in captured.err


def test_the_rules_in_force_are_listed(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "rules", "show", str(own)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("rule ") and "no-npm" in out and "delete-system" in out
    assert main(["guard", "rules", "show", str(own), "--no_shipped", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [rule["id"] for rule in document["rules"]] == ["no-npm"]
    assert document["rules"][0]["when"] == {"command": {"program": ["npm"]} | document["rules"][0]["when"]["command"]}


def test_secret_values_are_never_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("secrets: [{name: pin, value: Orange-Kite-9}]\n", "utf-8")
    assert main(["guard", "rules", "show", str(path)]) == 0
    assert main(["guard", "rules", "show", str(path), "--json"]) == 0
    out = capsys.readouterr().out
    assert "Orange" not in out and "pin" in out
