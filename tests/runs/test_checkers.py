"""Who scores the episodes of a run, and what the records say about it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from support.small_suite import write_suite
from trueline.cli import main
from trueline.records.end import End
from trueline.records.episode import CheckRecord, EpisodeRecord, TaskRef
from trueline.runs.prepare import open_run
from trueline.runs.request import RunRequest
from trueline.runs.summary import summarise


def write_other(suite: Path, **evaluator: object) -> None:
    """A task whose function only OSWorld's package has."""
    path = suite / "examples/os/other.json"
    task = json.loads((suite / "examples/os/plain.json").read_text())
    path.write_text(json.dumps({**task, "id": "other", "evaluator": evaluator}))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = write_suite(tmp_path / "suite", "plain", "other")
    write_other(folder, func="fuzzy_match", result={"type": "vm_command_line", "command": ["date"]})
    return folder


def unsupported(suite: Path, **fields: Any) -> tuple[str, dict[str, str]]:
    async def work() -> tuple[str, dict[str, str]]:
        request = RunRequest(suite=str(suite), agent="noop", result_dir=suite / "results", **fields)
        async with open_run(request, dry=True) as run:
            return run.setting.digest, {job.location.unit.task: job.unsupported for job in run.jobs}

    return asyncio.run(work())


def test_without_the_environment_a_task_that_needs_it_is_unsupported_with_the_command(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUELINE_OSWORLD", str(suite / "none"))
    digest, found = unsupported(suite)
    assert found["plain"] == ""
    assert (
        found["other"].startswith("OSWorld's own checkers (")
        and "run: trueline tasks install-osworld" in found["other"]
    )
    bridged_digest, bridged = unsupported(suite, checkers="bridged")
    assert "trueline tasks install-osworld" in bridged["plain"]
    assert bridged_digest != digest
    assert unsupported(suite, checkers="native")[1] == {"plain": "", "other": "checker fuzzy_match"}


def test_what_cannot_be_scored_for_certain_is_known_before_the_run(suite: Path) -> None:
    write_other(suite, func="exact_match", result={"type": "googledrive_file"}, expected={"type": "rule", "rules": {}})
    assert "not scorable without credentials of Google Drive" in unsupported(suite)[1]["other"]


def test_the_summary_counts_who_scored_and_lists_disagreements() -> None:
    check = CheckRecord(
        name="native checkers", passed=False, detail="compare_table: bridged 1, native 0", about="agreement"
    )
    records = [
        EpisodeRecord(task=TaskRef(domain="os", id="a"), score=1.0, end=End.DONE, scored_by="bridged", checks=(check,)),
        EpisodeRecord(task=TaskRef(domain="os", id="b"), score=1.0, end=End.DONE, scored_by="native"),
        EpisodeRecord(task=TaskRef(domain="os", id="c"), score=1.0, end=End.DONE),
    ]
    found = summarise(records)
    assert found["scored_by"] == {"bridged": 1, "native": 1}
    assert found["disagreements"] == [{"task": "os/a", "repeat": None, "detail": "compare_table: bridged 1, native 0"}]


@pytest.mark.full
@pytest.mark.usefixtures("machine")
def test_a_run_scored_by_both_says_so(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says = {"type": "vm_command_line", "command": ["printf", "hello"]}
    rule = {"type": "rule", "rules": {"expected": "hello"}}
    write_other(suite, func="fuzzy_match", result=says, expected=rule)
    words = [
        "run",
        "--suite",
        str(suite),
        "--agent",
        "noop",
        "--max_steps",
        "1",
        "--checkers",
        "both",
        "--progress",
        "none",
    ]
    assert main([*words, "--result_dir", str(suite / "results"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["scored"], found["scored_by"], found["disagreements"]) == (2, {"bridged": 2}, [])
    records = [json.loads(path.read_text()) for path in (suite / "results").rglob("episode.json")]
    assert {record["task"]["id"]: record["score"] for record in records} == {"plain": 0.0, "other": 1.0}
    assert {record["scored_by"] for record in records} == {"bridged"}
    about = {record["task"]["id"]: [check["about"] for check in record["checks"]] for record in records}
    assert about == {"plain": ["task", "agreement"], "other": ["task"]}
