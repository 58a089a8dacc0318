"""`trueline run --help` is for people; what the flags mean did not change with how they are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.small_suite import write_suite
from trueline.cli import main
from trueline.cli.run import parse_request

KEPT = json.loads((Path(__file__).parent / "data/dry_runs.json").read_text("utf-8"))
"""What dry runs said before the help was put in groups, by the words of the command."""
GROUPS = ("common", "tasks", "agent and model", "attack", "guard", "judge", "advanced")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("LOCAL_OPENAI_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    write_suite(tmp_path / "suite", "t0", "t1", injections=({"type": "desktop_notification", "goals": ["stop_task"]},))


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("words", KEPT, ids=lambda words: words or "none")
def test_a_dry_run_says_what_it_said(capsys: pytest.CaptureFixture[str], words: str) -> None:
    found: dict[str, Any]
    assert main(["run", "--suite", "suite", "--dry_run", "--json", *words.split()]) == 0
    found = json.loads(capsys.readouterr().out)
    kept = KEPT[words]
    assert {name: found[name] for name in kept} == kept


def test_the_help_begins_with_examples_and_is_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    out = help_of(capsys, "run")
    assert out.index("examples:") < out.index("common:") < 1200
    titles = re.findall(r"^([a-z][a-z ]*):$", out, re.MULTILINE)
    assert tuple(titles) == ("examples", *GROUPS)


def test_every_example_of_the_help_is_a_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    monkeypatch.chdir(tmp_path)
    Path("run.yaml").write_text("suite: starter\n")
    lines = re.findall(r"^  trueline run (.*)$", help_of(capsys, "run"), re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        parse_request(shlex.split(line))


@pytest.mark.parametrize("command", ["run", "guard bench", "tasks list", "judge", "judge summary"])
def test_flags_are_shown_in_one_spelling(capsys: pytest.CaptureFixture[str], command: str) -> None:
    out = help_of(capsys, *command.split())
    assert not re.findall(r"(?<!\w)--[a-z0-9]+-[a-z0-9_-]+", out)


def test_every_flag_of_the_help_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    out = help_of(capsys, "run")
    flags = re.findall(r"^  (?:-h, )?(--[^\n]*(?:\n {10,}[^\n]*)*)", out, re.MULTILINE)
    assert len(flags) > 70
    for flag in flags:
        assert re.search(r"\s{2,}[^\s\[{-]", flag), flag


def test_a_wrong_flag_is_answered_in_that_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--num-env", "2"]) == 2
    assert "unknown flag --num_env, did you mean --num_envs?" in capsys.readouterr().err


def test_the_overview_names_its_own_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "-V, --version" in out and "-h, --help" in out
