"""What `trueline run --dry_run` says that a run would take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.small_suite import write_suite
from trueline.cli import main

AGENT = ["--model", "openai|gpt-4o"]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-secret-of-the-tests")
    monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    write_suite(tmp_path / "suite", "t0", "t1")


def dry(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["run", "--suite", "suite", "--dry_run", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def row(found: Any, role: str) -> Any:
    return next(one for one in found["models"] if one["role"] == role)


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ([], 2 * 15),
        (["--max_steps", "4"], 2 * 4),
        (["--method", "binary_retry", "--max_retries", "5"], 2 * 15 * 6),
        (["--method", "binary_retry", "--max_retries", "5", "--max_total_steps", "20"], 2 * 20),
        (["--guard", "policy", "--guard_max_revisions", "2"], 2 * 15 * 3),
        (["--guard", "policy", "--guard_shadow"], 2 * 15),
        (["--agent_option", "format_retries=1"], 2 * 15 * 2),
    ],
)
def test_the_agents_calls_are_counted_with_all_that_may_repeat_them(
    capsys: pytest.CaptureFixture[str], words: list[str], calls: int
) -> None:
    assert dry(capsys, *AGENT, *words)["calls_at_most"] == calls


def test_tokens_follow_from_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    agent = row(dry(capsys, *AGENT, "--max_trajectory_length", "3", "--a11y_tree_max_tokens", "10000"), "agent")
    assert agent["input_tokens_each"] >= 4 * 10_000 + 3 * 1_500
    assert agent["output_tokens_each"] == 1_500
    less = row(dry(capsys, *AGENT, "--max_trajectory_length", "0", "--a11y_tree_max_tokens", "500"), "agent")
    assert 500 < less["input_tokens_each"] < 3_000
    native = row(dry(capsys, "--agent", "claude", "--model", "claude-sonnet-4-5"), "agent")
    assert native["input_tokens_each"] >= 10 * 1_500


def test_the_cost_holds_every_model_that_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    plain = dry(capsys, *AGENT)
    words = ["--guard", "deaction", "--systematic_analysis_model", "openai|gpt-4o-mini"]
    words += ["--fast_check_model", "openai|gpt-4.1-nano", "--narrative_summary_model", "openai|gpt-4.1-mini"]
    words += ["--method", "clarify_upon_retry", "--user_sim_model", "openai|gpt-4.1", "--max_retries", "2"]
    found = dry(capsys, *AGENT, *words)
    assert {one["role"] for one in found["models"]} == {
        "agent", "fast check", "systematic analysis", "narrator", "user simulator",
    }  # fmt: skip
    assert all(one["cost_about"] > 0 for one in found["models"])
    assert found["cost_about"] == pytest.approx(sum(one["cost_about"] for one in found["models"]))
    assert found["cost_about"] > plain["cost_about"] > 0
    assert any("each proposal is checked once" in one for one in found["assumes"])


def test_what_nobody_knows_is_not_called_free(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("seer.py").write_text("class Seer:\n    def predict(self, instruction, obs): ...\n")
    monkeypatch.syspath_prepend(".")
    found = dry(capsys, "--agent", "seer:Seer")
    assert (found["calls_at_most"], found["cost_about"]) == (None, None)
    found = dry(capsys, "--model", "local|m")
    assert (found["calls_at_most"], found["cost_about"]) == (30, None)
    found = dry(capsys, "--agent", "oracle")
    assert (found["calls_at_most"], found["cost_about"], found["models"]) == (0, 0, [])


def test_people_are_told_that_it_is_about_and_on_what_it_rests(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--suite", "suite", "--dry_run", *AGENT, "--judge_model", "openai|gpt-4.1"]) == 0
    out = capsys.readouterr().out
    assert "agent openai|gpt-4o: at most 30 calls, about 46,000 tokens in and 1,500 out each, about $" in out
    assert "the judge apart" in out
    assert ", if\n  - every step, try and revision is used\n  - every table of elements is full\n" in out
    assert not Path("results").exists()


@pytest.mark.parametrize("guard", ["scope", "always-aligned", "injection-classifier"])
def test_a_guard_that_calls_no_model_costs_nothing(capsys: pytest.CaptureFixture[str], guard: str) -> None:
    if guard == "injection-classifier":
        pytest.importorskip("stackone_defender")
    found = dry(capsys, "--agent", "noop", "--guard", guard)
    assert [one["role"] for one in found["models"]] == []


def test_a_guard_that_asks_an_unknown_number_of_times_is_not_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--guard", "task-shield-like", "--systematic_analysis_model", "local|m"]
    assert row(dry(capsys, "--agent", "noop", *words), "guard")["calls"] is None
