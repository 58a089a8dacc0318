"""Errors about a request file name its file and line; a request file reproduces a run as a manifest does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.small_suite import write_suite
from trueline.cli import main

BEGINNING = "suite: suite\nagent: noop\n"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", "t0")


def error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = main(["run", "--dry_run", *words])
    err = capsys.readouterr().err
    assert (code, err.count("\n")) == (2, 1)
    return err


@pytest.mark.parametrize(
    ("lines", "line", "about"),
    [
        ("max_step: 3\n", 3, "max_step"),
        ("guard: policy\nguard_options:\n  unmatched: block\n  rulez: a\n", 6, "rulez"),
        ("only_injection: [stop_task]\n", 3, "--only_injection: requires --inject"),
        ("max_retries: 3\n", 3, "--max_retries: requires --method"),
        ("only:\n- nothing/*\n", 3, "--only"),
        ("max_steps: 5\nmodel: 'openai|gpt-4o'\n", 4, "--model"),
    ],
)
def test_an_error_names_file_line_and_key(
    capsys: pytest.CaptureFixture[str], lines: str, line: int, about: str
) -> None:
    Path("run.yaml").write_text(BEGINNING + lines)
    err = error(capsys, "--config", "run.yaml")
    assert f"run.yaml: line {line}: " in err
    assert about in err


def test_an_error_about_a_flag_names_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.yaml").write_text(BEGINNING + "only: ['os/*']\n")
    err = error(capsys, "--config", "run.yaml", "--only", "nothing/*")
    assert "--only" in err
    assert "run.yaml" not in err


def test_reproduce_reads_a_request_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.yaml").write_text(BEGINNING + "repeats: 2\n")
    assert main(["run", "--dry_run", "--json", "--reproduce", "run.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["episodes"] == 2
    Path("run.yaml").write_text(BEGINNING + "repeat: 2\n")
    assert "run.yaml: line 3: repeat: unknown field" in error(capsys, "--reproduce", "run.yaml")


@pytest.mark.parametrize("content", ["[1]", '"x"', "{"])
def test_reproduce_refuses_other_files(capsys: pytest.CaptureFixture[str], content: str) -> None:
    Path("other.json").write_text(content)
    assert "other.json" in error(capsys, "--reproduce", "other.json")


def test_a_damaged_manifest_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("manifest-0123456789ab.json").write_text('{"trueline": ')
    assert "is not JSON" in error(capsys, "--reproduce", "manifest-0123456789ab.json")
