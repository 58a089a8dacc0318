"""Whoever asks a model fits the question to it: judges, captions, guard stages, the probe, a question by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.model_server import model_server
from trueline.cli import main
from trueline.errors import InputError
from trueline.guard.engine import DeActionGuard
from trueline.guard.registry import GuardRequest, open_guard
from trueline.judge.sampling import caption_sampling, judge_sampling
from trueline.models.build import Config
from trueline.models.families import require_fitting
from trueline.models.testing import strict
from trueline.models.types import ModelId

MODELS = [
    ("openai", "gpt-4.1"),
    ("openai", "gpt-5"),
    ("openai", "gpt-5.2"),
    ("openai", "o3"),
    ("azure", "our-gpt-5-mini"),
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-opus-4-8"),
    ("aws", "us.anthropic.claude-opus-4-7-v1:0"),
    ("openrouter", "anthropic/claude-opus-4.8"),
    ("openrouter", "openai/gpt-5-mini"),
    ("gemini", "gemini-2.5-pro"),
]


@pytest.mark.parametrize(("provider", "name"), MODELS)
def test_judges_and_captioners_ask_only_for_what_their_models_take(provider: str, name: str) -> None:
    model = ModelId(provider=provider, model=name)
    for sampling in (judge_sampling(model), caption_sampling(model)):
        assert require_fitting(model, sampling) == sampling
        assert sampling.max_tokens


def effort_of(fast: str, **options: JsonValue) -> str | None:
    """How the fast check of this model is asked."""

    async def made() -> str | None:
        request = GuardRequest(options={"fast_check_model": fast, "no_policy": True, **options})
        async with open_guard(request, config=Config(named_only=True)) as opened:
            assert isinstance(opened.guard, DeActionGuard)
            return opened.guard.config.fast_sampling.reasoning_effort

    return asyncio.run(made())


def test_the_guards_default_effort_goes_only_to_models_that_reason() -> None:
    assert effort_of("openai|gpt-5") == "medium"
    assert effort_of("openai|gpt-4o") is None
    assert effort_of("anthropic|claude-3-5-sonnet") is None
    assert effort_of("local|any") == "medium"
    with pytest.raises(InputError, match=r"fast_check_reasoning_effort` low: openai\|gpt-4o"):
        effort_of("openai|gpt-4o", fast_check_reasoning_effort="low")


@pytest.mark.parametrize("model", ["openai|gpt-5", "openai|o4-mini", "anthropic|claude-opus-4-8", "openai|gpt-5-pro"])
def test_the_probe_works_with_every_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-tests")
    with model_server(default=strict()) as server:
        url = server.url if model.startswith("anthropic") else f"{server.url}/v1"
        assert main(["model", "probe", model, "--times", "2", "--load", "0", "--json", "--model_url", url]) == 0
        assert server.count == 2
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert err.count("\n") == 1 and "without temperature 0" in err


def test_a_question_by_hand_that_the_model_does_not_take_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    with model_server(default=strict()) as server:
        ask = ["model", "ask", "openai|gpt-5", "hello", "--model_url", f"{server.url}/v1"]
        assert main([*ask, "--temperature", "0.3"]) == 2
        assert server.count == 0
        assert "openai|gpt-5" in capsys.readouterr().err
        assert main([*ask, "--temperature", "1", "--max_tokens", "50", "--stop", "END"]) == 0
        assert server.seen[-1].body["max_completion_tokens"] == 50
