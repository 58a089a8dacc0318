"""Every flag of the systems whose flags `trueline run` takes: taken, or refused with a clear line, never ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.small_suite import write_suite
from trueline.cli import main
from trueline.cli.run import parse_request
from trueline.cli.run.flags import LATER
from trueline.runs.compatible_defaults import fill_defaults

TAKEN = "taken"
SUITE = ("--test_config_base_dir", "suite")
Row = tuple[str, tuple[str, ...], str]
"""Flag, what else is given with it, and `TAKEN` or what is said."""

OSHARM: tuple[Row, ...] = (
    ("--path_to_vm x.vmx", (), "requires --provider_name osworld"),
    ("--headless", (), TAKEN),
    ("--action_space pyautogui", (), TAKEN),
    ("--action_space computer_13", (), TAKEN),
    ("--observation_type screenshot", (), TAKEN),
    ("--observation_type a11y_tree", (), TAKEN),
    ("--observation_type screenshot_a11y_tree", (), TAKEN),
    ("--observation_type som", (), TAKEN),
    ("--screen_width 1280", (), TAKEN),
    ("--screen_height 800", (), TAKEN),
    ("--sleep_after_execution 0.5", (), TAKEN),
    ("--max_steps 15", (), TAKEN),
    ("--max_trajectory_length 3", (), TAKEN),
    ("--test_config_base_dir suite", (), TAKEN),
    ("--model gpt-4o", (), TAKEN),
    ("--judge_model gpt-4.1", (), TAKEN),
    ("--sys_prompt_version v3", (), TAKEN),
    ("--judge_type aer", (), TAKEN),
    ("--temperature 1.0", (), TAKEN),
    ("--top_p 0.9", (), TAKEN),
    ("--max_tokens 1500", (), TAKEN),
    ("--stop_token END", (), TAKEN),
    ("--domain os", (), TAKEN),
    ("--domain nowhere", (), "--domain nowhere"),
    ("--test_all_meta_path suite/index.json", (), TAKEN),
    ("--jailbreak", (), TAKEN),
    ("--inject", (), TAKEN),
    ("--result_dir out", (), TAKEN),
)
OSWORLD: tuple[Row, ...] = (
    ("--provider_name local", (), TAKEN),
    ("--provider_name osworld", (), "requires --path_to_vm host:port"),
    *((f"--provider_name {name}", (), f"unknown provider '{name}'") for name in
      ("vmware", "virtualbox", "docker", "aws", "azure", "gcp", "aliyun", "volcengine")),
    ("--region us-east-1", (), "not available in this version (clouds and their regions)"),
    ("--num_envs 2", (), TAKEN),
    ("--log_level DEBUG", (), TAKEN),
    ("--log_level loud", (), "invalid choice: 'LOUD'"),
    ("--client_password secret", (), TAKEN),
    ("--enable_proxy", (), "not available in this version (proxies)"),
)  # fmt: skip
RELIABILITY: tuple[Row, ...] = (
    ("--model_provider openai", ("--model", "gpt-5"), TAKEN),
    ("--model_url http://127.0.0.1:1/v1", ("--model", "local|m"), TAKEN),
    ("--model_temperature 0", (), TAKEN),
    *((f"--{name} x", (), "not available in this version (grounding models)") for name in
      ("ground_provider", "ground_url", "ground_model", "grounding_width", "grounding_height")),
    ("--examples_dir examples_clarified", (), TAKEN),
    ("--perturbations 1", (), TAKEN),
    ("--perturbations 2", (), TAKEN),
    ("--perturbations 3", (), "unknown perturbation '3'; choose one of 1, 2"),
    ("--enable_plan", (), "not available in this version (plans)"),
    ("--plan_cache_dir plans", (), "not available in this version (plans)"),
    ("--enable_plan_feedback", (), "not available in this version (plan feedback)"),
    ("--plan_feedback_file f", (), "not available in this version (plan feedback)"),
    ("--method binary_retry", (), TAKEN),
    ("--method clarify_upon_retry", (), "requires --user_sim_model"),
    ("--method clarify_upon_retry", ("--user_sim_model", "gpt-5"), TAKEN),
    ("--method other", (), "invalid choice: 'other'"),
    ("--max_retries 5", ("--method", "binary_retry"), TAKEN),
    ("--max_retries 5", (), "requires --method"),
    ("--max_total_steps 100", ("--method", "binary_retry"), TAKEN),
    ("--max_total_steps 100", (), "requires --method"),
    ("--user_sim_model gpt-5", (), "requires --method"),
    ("--user_sim_model gpt-5", ("--method", "binary_retry"), "has no simulated user"),
    ("--thinking", (), "not available in this version (Kimi's thinking mode)"),
)  # fmt: skip


IDLE: tuple[Row, ...] = (
    ("--model gpt-5", ("--agent", "oracle"), "is simulated and calls no model"),
    ("--model_url http://127.0.0.1:1/v1", ("--agent", "noop"), "is simulated and calls no model"),
    ("--model claude-sonnet-4-5", ("--agent", "claude"), TAKEN),
    *((f"--{name}", ("--agent", "claude", "--model", "claude-sonnet-4-5"), "its provider's computer tool") for name in
      ("max_trajectory_length 3", "a11y_tree_max_tokens 500", "action_space computer_13")),
    ("--observation_type som", ("--agent", "openai", "--model", "gpt-5"), "sees screenshots only"),
    *((f"--{name}", (), "requires --guard") for name in
      ("guard_shadow", "guard_exhausted skip", "guard_max_revisions 5", "fast_check_model gpt-5", "guard_ocr")),
    ("--guard_exhausted skip", ("--guard", "policy"), TAKEN),
    ("--fast_check_model gpt-5", ("--guard", "policy"), "does not apply to --guard policy"),
    ("--narrative_summary_model gpt-5", ("--guard", "policy"), "does not apply to --guard policy"),
    ("--fast_check_model gpt-5", ("--guard", "deaction"), TAKEN),
    ("--fast_check_model gpt-5", ("--guard", "collections:Counter"), "has no async method check"),
    ("--only_injection website/*", (), "requires --inject"),
    ("--stop_token END", ("--agent", "oracle"), "is simulated and calls no model"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("LOCAL_OPENAI_API_KEY", "sk-secret-of-the-tests")
    injections = ({"type": "desktop_notification", "goals": ["stop_task"]},)
    suite = write_suite(tmp_path / "suite", "t0", injections=injections)
    (suite / "examples_clarified").symlink_to("examples")


@pytest.mark.parametrize(
    ("flag", "more", "expected"),
    [*OSHARM, *OSWORLD, *RELIABILITY, *IDLE],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_flag_is_taken_or_refused(
    capsys: pytest.CaptureFixture[str], flag: str, more: tuple[str, ...], expected: str
) -> None:
    words = [*flag.split(" "), *more]
    agent = () if "--model" in words or "--agent" in words else ("--model", "local|m")
    code = main(["run", *SUITE, *agent, "--dry_run", "--json", *words])
    out, err = capsys.readouterr()
    if expected == TAKEN:
        assert (code, err) == (0, "")
        assert json.loads(out)["episodes"] == 1
    else:
        assert (code, err.count("\n")) == (2, 1), err
        assert expected in err
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("like", "expected"),
    [
        ("osworld", {"max_steps": 15, "observation_type": "a11y_tree", "temperature": 1.0, "top_p": 0.9}),
        ("osharm", {"max_steps": 15, "max_trajectory_length": 3, "judge_model": "gpt-4.1", "record": True}),
        pytest.param(
            "reliability",
            {"max_steps": 100, "observation_type": "screenshot", "temperature": None},
            marks=pytest.mark.full,
        ),
    ],
)
def test_what_a_systems_defaults_come_to_is_recorded(
    machine: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    like: str,
    expected: dict[str, Any],
) -> None:
    words = ["--suite", "suite", "--agent", "fail", "--like", like, "--screen_width", "1024", "--screen_height", "768"]
    words += ["--progress", "none", "--top_p", "0.5", "--max_tokens", "9"]
    # OS-Harm's judge has no key here: that changes nothing about the run.
    monkeypatch.delenv("OPENAI_API_KEY")
    assert main(["run", *words]) == 0, capsys.readouterr().err
    (file,) = Path("results").glob("manifest-*.json")
    manifest = json.loads(file.read_text())
    assert manifest["about"]["like"] == like
    given = {"top_p", "max_tokens"}
    assert {name: manifest["like_defaults"][name] for name in expected if name not in given} == {
        name: value for name, value in expected.items() if name not in given
    }
    assert not given & manifest["like_defaults"].keys()
    (episode,) = Path("results").rglob("episode.json")
    filmed = {path.name for path in episode.parent.glob("recording*")}
    assert bool(filmed) == (like == "osharm"), "OS-Harm's runs are filmed, unless --no-record is given"
    record = json.loads(episode.read_text())
    assert record["params"]["like"] == like
    assert record["setting"]["limits"]["max_steps"] == manifest["like_defaults"]["max_steps"]
    assert record["setting"]["observation_type"] == manifest["like_defaults"]["observation_type"]


def test_a_suite_that_is_named_stands_over_the_tasks_of_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["run", "--suite", "suite", "--agent", "noop", "--like", "osharm", "--dry_run", "--json"])
    assert (code, json.loads(capsys.readouterr().out)["episodes"]) == (0, 1)


def test_every_flag_that_the_help_does_not_show_is_one_that_is_refused() -> None:
    rows = (*OSHARM, *OSWORLD, *RELIABILITY)
    assert {f"--{name}" for name in LATER} == {
        row[0].split(" ")[0] for row in rows if "not available in this version" in row[2]
    }


def test_os_harms_own_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Its tasks, its model, its judge, and no more than that is needed."""
    Path("suite").rename("evaluation_examples")
    index = Path("evaluation_examples/index.json").rename("evaluation_examples/test_misuse.json")
    code = main(["run", "--like", "osharm", "--dry_run", "--json"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["episodes"] == 1 and "gpt-4o" in out
    assert main(["run", "--like", "osharm", "--test_all_meta_path", str(index), "--model", "gpt-4.1", "--dry_run"]) == 0


def test_native_agents_are_recorded_as_seeing_screenshots(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--suite", "suite", "--agent", "claude", "--model", "claude-sonnet-4-5", "--dry_run", "--json"]
    assert main(words) == 0
    capsys.readouterr()
    assert fill_defaults(parse_request(words[1:]).request).request.observation_type == "screenshot"
