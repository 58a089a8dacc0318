"""What of the sampling flags reaches a model, what is refused, and what the record says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.model_server import model_server
from support.small_suite import write_suite
from trueline.cli import main
from trueline.models.providers import usable_providers
from trueline.models.testing import Say, strict
from trueline.records import read_episode

SCREEN = ["--screen_width", "1024", "--screen_height", "768"]
DONE = Say("It is saved.\n```\nDONE\n```")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in {name for p in usable_providers() for v in p.variables for name in v.names}:
        monkeypatch.delenv(name, raising=False)
    write_suite(tmp_path / "suite", "t0", "t1")


def dry(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return the exit code, and the error or what is said of the sampling."""
    code = main(["run", "--suite", "suite", "--dry_run", "--json", *words])
    out, err = capsys.readouterr()
    return code, (json.loads(out)["sampling_not_sent"] or "") if out else err


@pytest.mark.parametrize(
    "words",
    [
        ["--model", "openai|gpt-5"],
        ["--agent", "claude", "--model", "aws|claude-sonnet-4-5"],
        ["--model", "azure|ours", "--guard", "deaction", "--fast_check_model", "openai|gpt-4o"],
        ["--model", "gpt-4o", "--method", "clarify_upon_retry", "--user_sim_model", "gemini|gemini-2.5-pro"],
        ["--like", "reliability", "--model", "openrouter|moonshotai/kimi-k2.5"],
    ],
)
def test_a_dry_run_needs_no_key(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert dry(capsys, *words)[0] == 0


def test_without_a_dry_run_a_key_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--suite", "suite", "--model", "openai|gpt-5"]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err


def test_so_is_that_of_the_judge_before_anything_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--suite", "suite", "--agent", "noop", "--judge_model", "openai|gpt-4.1"]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--model", "openai|gpt-5", "--temperature", "0.2"], ["--temperature 0.2", "openai|gpt-5"]),
        (["--model", "o3", "--top_p", "0.5"], ["--top_p 0.5", "openai|o3"]),
        (["--model", "openrouter|openai/gpt-5-mini", "--model_temperature", "0"], ["--temperature 0.0"]),
        (["--model", "claude-sonnet-4-5", "--temperature", "0.2", "--top_p", "0.9"], ["--top_p 0.9", "only one"]),
        (["--agent", "claude", "--model", "claude-opus-4-8", "--temperature", "0"], ["--temperature 0.0"]),
        (["--model", "claude-sonnet-4-5", "--temperature", "1.5"], ["--temperature 1.5", "highest"]),
        (["--agent", "openai", "--model", "gpt-5.4", "--stop_token", "END"], ["--stop_token"]),
    ],
)
def test_a_chosen_value_that_the_model_does_not_take_is_refused_before_the_run(
    capsys: pytest.CaptureFixture[str], words: list[str], named: list[str]
) -> None:
    code, err = dry(capsys, *words)
    assert code == 2
    assert all(name in err for name in named), err
    assert len(err.strip().splitlines()) == 1


def test_under_osharm_it_is_dropped_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--like", "osharm", "--suite", "suite", "--model", "openai|gpt-5"]
    code, note = dry(capsys, *words, "--temperature", "0.2")
    assert code == 0
    assert "temperature 0.2 and top_p 0.9 not sent" in note and "\n" not in note


def test_the_models_own_value_is_accepted_and_the_defaults_are_left_out_with_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert dry(capsys, "--model", "openai|gpt-5", "--temperature", "1", "--top_p", "1") == (0, "")
    code, note = dry(capsys, "--model", "openai|gpt-5")
    assert code == 0
    assert "top_p 0.9" in note and "\n" not in note
    assert dry(capsys, "--model", "openai|gpt-4o") == (0, "")
    assert dry(capsys, "--like", "reliability", "--model", "openai|gpt-5") == (0, "")


def play(server_url: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server_url}/v1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-of-the-tests")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server_url)
    return main(["run", "--suite", "suite", *SCREEN, "--json", *words])


def test_the_readmes_example_plays_against_a_server_as_strict_as_the_real_one(
    machine: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server(default=strict(DONE)) as server:
        words = ["--agent", "prompt", "--model", "openai|gpt-5", "--stop_token", "END"]
        assert play(server.url, monkeypatch, *words) == 0
        bodies = [seen.body for seen in server.seen]
    out, err = capsys.readouterr()
    assert json.loads(out)["scored"] == 2
    assert len([line for line in err.splitlines() if "top_p 0.9 not sent" in line]) == 1
    assert len(bodies) == 2
    assert all(body["max_completion_tokens"] == 1500 for body in bodies)
    assert not any({"temperature", "top_p", "max_tokens", "stop"} & body.keys() for body in bodies)
    [folder] = Path("results").rglob("t0")
    record = read_episode(folder).record
    assert record.setting is not None
    assert (record.setting.sampling.temperature, record.setting.sampling.top_p) == (None, None)
    params = json.loads((folder / "better_log.json").read_bytes())["params"]
    assert params["temperature"] is None
    assert params["sampling_not_sent"] == {"temperature": 1.0, "top_p": 0.9}


def test_claude_is_sent_one_of_both_and_the_stop_token(
    machine: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server(default=strict(DONE)) as server:
        words = ["--model", "claude-sonnet-4-5", "--limit", "1", "--stop_token", "END", "</done>"]
        assert play(server.url, monkeypatch, *words) == 0, capsys.readouterr().err
        [body] = [seen.body for seen in server.seen]
    assert (body["temperature"], body["stop_sequences"]) == (1.0, ["END", "</done>"])
    assert "top_p" not in body


def test_what_only_the_server_knows_is_left_out_told_once_and_in_the_record(
    machine: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with model_server(default=strict(DONE, deployed="gpt-5")) as server:
        assert play(server.url, monkeypatch, "--model", "openai|our-best", "--num_envs", "2") == 0
    told = [record.getMessage() for record in caplog.records if "rejects" in record.getMessage()]
    assert len(told) == 1 and "rejects top_p" in told[0]
    [folder] = Path("results").rglob("t1")
    [step] = read_episode(folder).record.steps
    assert step.proposal is not None
    assert any("top_p" in note and "not sent" in note for note in step.proposal.notes)


def test_a_run_of_an_earlier_version_goes_on_under_its_own_setting(
    machine: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server(default=strict(DONE)) as server:
        words = ["--model", "openai|gpt-5", "--limit", "1"]
        assert play(server.url, monkeypatch, *words) == 0
        [path] = Path("results").rglob("setting.json")
        before: Any = json.loads(path.read_bytes())
        before["setting"]["sampling"] = {"temperature": 1.0, "top_p": 0.9, "max_tokens": 1500}
        from trueline.records.setting import Setting

        before["digest"] = Setting.model_validate(before["setting"]).digest
        path.write_text(json.dumps(before))
        assert play(server.url, monkeypatch, "--model", "openai|gpt-5") == 0, capsys.readouterr().err
        assert len(server.seen) == 2


@pytest.mark.full
def test_a_server_that_never_answered_stops_the_run_at_once(
    machine: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = play("http://127.0.0.1:9", monkeypatch, "--model", "openai|gpt-5")
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert code == 1
    assert "http://127.0.0.1:9/v1" in found["stopped"] and "OPENAI_BASE_URL" in found["stopped"]
    assert found["scored"] == 0
    assert "cannot be reached" not in err
    with model_server(default=strict(DONE)) as server:
        assert play(server.url, monkeypatch, "--model", "openai|gpt-5") == 0
