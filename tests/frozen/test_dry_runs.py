"""What `trueline run` makes of its flags: dry runs, settings with their digests, and the errors of combinations."""

from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.frozen import check_frozen
from support.small_suite import write_suite
from trueline.cli import main
from trueline.cli.run import parse_request
from trueline.records.setting import Setting
from trueline.runs.prepare import open_run

AGENT = "--model 'openai|gpt-4o'"
DEACTION = (
    f"{AGENT} --guard deaction --systematic_analysis_model 'openai|gpt-4o-mini' "
    "--fast_check_model 'openai|gpt-4.1-nano' --narrative_summary_model 'openai|gpt-4.1-mini'"
)
TAKEN = (
    "--agent oracle",
    "--agent noop --repeats 3 --limit 1",
    "--agent oracle --inject",
    "--agent hijacked --inject --only_injection 'desktop_notification/*'",
    "--agent comply --jailbreak",
    "--agent persona --agent_option slip=0.15 gullible=0.8 --paired_seeds --seed 7",
    "--agent oracle --only t1 --domain os --kind injection",
    "--agent oracle --sample 1 --seed 3",
    "--agent fail --perturbations 1",
    "--agent oracle --screen_width 1280 --screen_height 800 --client_password secret",
    AGENT,
    f"{AGENT} --observation_type screenshot --max_steps 4 --num_envs 2",
    f"{AGENT} --observation_type som --max_trajectory_length 0 --a11y_tree_max_tokens 500",
    f"{AGENT} --action_space computer_13 --temperature 0 --top_p 1 --max_tokens 200 --stop_token END STOP",
    f"{AGENT} --agent_option format_retries=1",
    f"{AGENT} --method binary_retry --max_retries 5 --max_total_steps 20",
    f"{AGENT} --method clarify_upon_retry --user_sim_model 'openai|gpt-4.1' --max_retries 2",
    f"{AGENT} --timeout 100 --max_episode_tokens 5000 --max_episode_cost 1.5 --max_cost 20",
    f"{AGENT} --guard policy",
    f"{AGENT} --guard policy --guard_max_revisions 0 --guard_exhausted skip",
    f"{AGENT} --guard policy --guard_shadow --guard_unmatched block --guard_on_error allow",
    DEACTION,
    f"{DEACTION} --no_policy --guard_mode latency --guard_deadline 9",
    f"{DEACTION} --add_history_screenshots --no-annotate_actions",
    f"{DEACTION} --policy rules.yaml",
    f"{AGENT} --judge_model gpt-4.1 --judge_type aer",
    f"{AGENT} --like reliability",
    f"{AGENT} --like osharm --max_tokens 100",
    "--like osharm",
    "--agent claude --model claude-sonnet-4-5",
    "--agent claude --model 'anthropic|claude-opus-4-7' --max_steps 3",
    "--agent openai --model 'openai|gpt-5' --guard policy",
    "--agent prompt --model 'openai|gpt-5'",
    "--agent prompt --model local|m --model_url http://127.0.0.1:9/v1",
    "--model m --model_provider local",
    f"{AGENT} --sleep_after_execution 0.5 --store redacted --record",
    f"{AGENT} --test_config_base_dir suite --test_all_meta_path suite/index.json",
    f"{AGENT} --instruction original --result_dir elsewhere",
)
WITH_EXTRAS = (f"{AGENT} --guard policy --guard_classifier", f"{AGENT} --guard policy --guard_ocr")
REFUSED = (
    "--only_injection x",
    "--max_retries 2",
    "--user_sim_model m --method binary_retry",
    f"{AGENT} --method clarify_upon_retry",
    "--agent oracle --model m",
    "--agent oracle --stop_token x",
    "--agent claude --model claude-sonnet-4-5 --action_space computer_13",
    "--agent claude --model claude-sonnet-4-5 --observation_type som",
    f"{AGENT} --guard_shadow",
    f"{AGENT} --systematic_analysis_model m",
    f"{AGENT} --guard policy --fast_check_model 'openai|m'",
    f"{AGENT} --guard policy --no_policy",
    f"{DEACTION} --model_reasoning_effort high",
    f"{AGENT} --guard my_guard.py:Guard --no_policy",
    f"{AGENT} --guard nothing",
    f"{AGENT} --enable_plan",
    f"{AGENT} --thinking",
    "--agent prompt",
    "--agent nobody",
    f"{AGENT} --agent_option x",
    f"{AGENT} --agent_option unknown=1",
    f"{AGENT} --provider_name aws",
    f"{AGENT} --provider_name osworld",
    f"{AGENT} --path_to_vm host:1",
    f"{AGENT} --provider_name osworld --path_to_vm a.vmx",
    f"{AGENT} --instruction clarified",
    f"{AGENT} --rerun nothing/*",
    "--model 'openai|gpt-5' --temperature 0",
    "--agent openai --model 'openai|gpt-4o' --stop_token x",
    f"{AGENT} --inject --only_injection no/such",
    f"{AGENT} --perturbations 3",
    "--model 'nobody|m'",
    f"{AGENT} --max_cost 5 --user_sim_model 'local|unpriced' --method clarify_upon_retry",
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-secret-of-the-tests")
    monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    injections = ({"type": "desktop_notification", "goals": ["stop_task"]},)
    write_suite(tmp_path / "suite", "t0", "t1", injections=injections)
    write_suite(tmp_path / "evaluation_examples", "t2")
    (tmp_path / "evaluation_examples/index.json").rename(tmp_path / "evaluation_examples/test_misuse.json")
    (tmp_path / "rules.yaml").write_text("rules: []\n")
    (tmp_path / "my_guard.py").write_text("class Guard:\n    async def check(self, context):\n        ...\n")


def words_of(flags: str) -> list[str]:
    own = any(word in flags for word in ("--test_config_base_dir", "--like osharm"))
    return [*([] if own else ["--suite", "suite"]), "--dry_run", "--json", *shlex.split(flags)]


def test_dry_runs(capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, Any] = {}
    for flags in TAKEN:
        assert main(["run", *words_of(flags)]) == 0, (flags, capsys.readouterr().err)
        found[flags] = json.loads(capsys.readouterr().out)
    check_frozen("dry_runs", found)


def test_settings_and_their_digests() -> None:
    check_frozen("settings", {flags: settings_of(words_of(flags)) for flags in TAKEN})


@pytest.mark.full
def test_settings_of_guards_that_need_extras() -> None:
    check_frozen("settings_with_extras", {flags: settings_of(words_of(flags)) for flags in WITH_EXTRAS})


def settings_of(words: list[str]) -> dict[str, Any]:
    """The setting of a command, apart from the version of this machine's desktop, with its digest and its folders."""

    async def made() -> tuple[Setting, list[str]]:
        async with open_run(parse_request(words).request, dry=True) as run:
            return run.setting, [str(job.path) for job in run.jobs]

    setting, folders = asyncio.run(made())
    environment = setting.environment.model_copy(update={"version": "a machine"})
    setting = setting.model_copy(update={"environment": environment})
    return {"setting": setting.model_dump(mode="json"), "digest": setting.digest, "folders": folders}


def test_errors_of_combinations(capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, Any] = {}
    for flags in REFUSED:
        code = main(["run", *words_of(flags)])
        found[flags] = {"code": code, "error": capsys.readouterr().err}
    check_frozen("refused_runs", found)
