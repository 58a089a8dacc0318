"""Each family of models is sent only the sampling that it takes."""

from __future__ import annotations

import pytest

from trueline.models.errors import UnsupportedError
from trueline.models.families import UNKNOWN, family_of, fit_sampling, require_fitting
from trueline.models.types import ModelId
from trueline.records.setting import Sampling

SEEDS = Sampling(temperature=1.0, top_p=0.9, max_tokens=1500)
SEEDS_DEFAULTS = frozenset({"temperature", "top_p", "max_tokens"})

REASONING = [
    ("openai", "gpt-5"),
    ("openai", "gpt-5-mini"),
    ("openai", "gpt-5-nano-2025-08-07"),
    ("openai", "gpt-5-pro"),
    ("openai", "gpt-5-codex"),
    ("openai", "gpt-5.1"),
    ("openai", "gpt-5.2-2025-12-11"),
    ("openai", "gpt-5.4-mini"),
    ("openai", "o1"),
    ("openai", "o3-2025-04-16"),
    ("openai", "o3-mini"),
    ("openai", "o4-mini-deep-research"),
    ("openai", "ft:o4-mini:org::abc"),
    ("openai", "GPT-5"),
    ("openrouter", "openai/gpt-5-mini"),
    ("openrouter", "openai/gpt-5:free"),
    ("local", "openai/o3"),
    ("azure", "gpt-5-mini"),
    ("azure", "our-gpt-5-mini-eu"),
    ("azure", "team_o3"),
]
ONE_SAMPLER = [
    ("anthropic", "claude-opus-4-1-20250805"),
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-haiku-4-5-20251001"),
    ("anthropic", "claude-opus-4-6"),
    ("aws", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ("aws", "anthropic.claude-opus-4-6-v1"),
    ("aws", "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0"),
    ("openrouter", "anthropic/claude-sonnet-4.5"),
    ("local", "claude-sonnet-4-5@20250929"),
]
NO_SAMPLER = [
    ("anthropic", "claude-opus-4-7"),
    ("anthropic", "claude-opus-4-8-20260514"),
    ("anthropic", "claude-opus-5"),
    ("anthropic", "claude-sonnet-5-5"),
    ("anthropic", "claude-fable-5"),
    ("openrouter", "anthropic/claude-4.7-opus"),
    ("openrouter", "anthropic/claude-sonnet-5.5"),
]
ANY = [
    ("openai", "gpt-4o"),
    ("openai", "gpt-4.1-mini"),
    ("openai", "gpt-4-turbo"),
    ("openai", "gpt-5-chat-latest"),
    ("openai", "gpt-5.2-chat-latest"),
    ("openai", "gpt-50"),
    ("openai", "chatgpt-4o-latest"),
    ("openai", "ft:gpt-4o-2024-08-06:org::o3"),
    ("openrouter", "openai/gpt-oss-120b"),
    ("openrouter", "moonshotai/kimi-k2.5"),
    ("vllm", "ByteDance-Seed/UI-TARS-1.5-7B"),
    ("local", "my-gpt-5-distilled"),
    ("azure", "production"),
    ("anthropic", "claude-3-7-sonnet-latest"),
    ("anthropic", "claude-sonnet-4-20250514"),
    ("anthropic", "claude-3-5-haiku-20241022"),
    ("gemini", "gemini-2.5-pro"),
]


def model(provider: str, name: str) -> ModelId:
    return ModelId(provider=provider, model=name)


@pytest.mark.parametrize(("provider", "name"), REASONING)
def test_models_that_reason_are_sent_neither_temperature_nor_top_p(provider: str, name: str) -> None:
    fitted = fit_sampling(model(provider, name), SEEDS, SEEDS_DEFAULTS)
    assert fitted.sampling == Sampling(max_tokens=1500)
    assert fitted.unsent == {"temperature": 1.0, "top_p": 0.9}
    assert family_of(provider, name).limit == "max_completion_tokens"
    assert not family_of(provider, name).stop


@pytest.mark.parametrize(("provider", "name"), ONE_SAMPLER)
def test_claude_from_4_1_is_sent_the_temperature_or_top_p(provider: str, name: str) -> None:
    which = model(provider, name)
    assert fit_sampling(which, SEEDS, SEEDS_DEFAULTS).sampling == Sampling(temperature=1.0, max_tokens=1500)
    only_top_p = fit_sampling(which, SEEDS.model_copy(update={"top_p": 0.5}), {"temperature", "max_tokens"})
    assert only_top_p.sampling == Sampling(top_p=0.5, max_tokens=1500)
    only_temperature = fit_sampling(which, SEEDS.model_copy(update={"temperature": 0.2}), {"top_p"})
    assert only_temperature.sampling == Sampling(temperature=0.2, max_tokens=1500)
    with pytest.raises(UnsupportedError, match=r"top_p 0\.9 .*only one of temperature and top_p"):
        require_fitting(which, Sampling(temperature=0.2, top_p=0.9))
    assert require_fitting(which, Sampling(temperature=1, top_p=0.9)) == Sampling(top_p=0.9)


@pytest.mark.parametrize(("provider", "name"), NO_SAMPLER)
def test_claude_from_4_7_is_sent_neither(provider: str, name: str) -> None:
    assert fit_sampling(model(provider, name), SEEDS, SEEDS_DEFAULTS).sampling == Sampling(max_tokens=1500)


@pytest.mark.parametrize(("provider", "name"), ANY)
def test_all_others_are_sent_what_was_asked_for(provider: str, name: str) -> None:
    fitted = fit_sampling(model(provider, name), SEEDS, SEEDS_DEFAULTS)
    assert (fitted.sampling, fitted.unsent, fitted.misfits) == (SEEDS, {}, ())


@pytest.mark.parametrize(("provider", "name"), [*REASONING, *NO_SAMPLER])
def test_the_fixed_value_itself_is_accepted_and_any_other_refused(provider: str, name: str) -> None:
    which = model(provider, name)
    assert require_fitting(which, Sampling(temperature=1, top_p=1, max_tokens=9)) == Sampling(max_tokens=9)
    for wrong in (Sampling(temperature=0.0), Sampling(top_p=0.5)):
        with pytest.raises(UnsupportedError, match=f"{name}.*(temperature|top_p)"):
            require_fitting(which, wrong)


def test_with_reasoning_off_later_models_of_openai_take_a_temperature() -> None:
    off = Sampling(temperature=0.3, reasoning_effort="none")
    assert require_fitting(model("openai", "gpt-5.2"), off) == off
    with pytest.raises(UnsupportedError, match="reasoning effort none"):
        require_fitting(model("openai", "gpt-5.2"), Sampling(temperature=0.3, reasoning_effort="low"))
    with pytest.raises(UnsupportedError):
        require_fitting(model("openai", "gpt-5"), off)


def test_a_claude_that_thinks_has_one_temperature_and_none_goes_above_1() -> None:
    which = model("anthropic", "claude-sonnet-4-5")
    assert require_fitting(which, Sampling(temperature=1, reasoning_effort="low")).temperature is None
    with pytest.raises(UnsupportedError, match="temperature"):
        require_fitting(which, Sampling(temperature=0.5, reasoning_effort="low"))
    with pytest.raises(UnsupportedError, match="highest"):
        require_fitting(which, Sampling(temperature=1.5))


def test_an_effort_that_nobody_chose_is_left_out_where_a_model_does_not_reason() -> None:
    asked = Sampling(reasoning_effort="medium")
    for provider, name in (("openai", "gpt-4o"), ("openai", "gpt-5-chat-latest"), ("anthropic", "claude-3-5-sonnet")):
        assert fit_sampling(model(provider, name), asked, {"reasoning_effort"}).sampling == Sampling()
    assert fit_sampling(model("openai", "gpt-5"), asked, {"reasoning_effort"}).sampling == asked


def test_an_unknown_model_takes_everything() -> None:
    assert family_of("openai", "gpt-9000") is UNKNOWN
