"""Names of models."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.models.errors import SpecError
from trueline.models.providers import PROVIDERS
from trueline.models.providers.aws import bedrock_id
from trueline.models.specs import parse_spec


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("openai|gpt-5", "openai", "gpt-5"),
        (" azure|my deployment ", "azure", "my deployment"),
        ("aws|claude-3-7-sonnet", "aws", "claude-3-7-sonnet"),
        ("open_router|moonshotai/kimi-k2.5", "openrouter", "moonshotai/kimi-k2.5"),
        ("OpenAI|gpt-5", "openai", "gpt-5"),
        ("bedrock|anthropic.claude-sonnet-4-6", "aws", "anthropic.claude-sonnet-4-6"),
        ("vllm|ByteDance-Seed/UI-TARS-1.5-7B", "vllm", "ByteDance-Seed/UI-TARS-1.5-7B"),
        ("scripted|a|b.toml", "scripted", "a|b.toml"),
        ("gpt-4o-2024-11-20", "openai", "gpt-4o-2024-11-20"),
        ("o1", "openai", "o1"),
        ("o3-mini", "openai", "o3-mini"),
        ("o4-mini-2025-04-16", "openai", "o4-mini-2025-04-16"),
        ("computer-use-preview", "openai", "computer-use-preview"),
        ("claude-sonnet-4-6", "anthropic", "claude-sonnet-4-6"),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "aws", "us.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        ("gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
        ("kimi-k2.5", "openrouter", "kimi-k2.5"),
        ("moonshotai/kimi-k2.5", "openrouter", "moonshotai/kimi-k2.5"),
    ],
)
def test_names_are_understood(text: str, provider: str, model: str) -> None:
    spec = parse_spec(text)
    assert (spec.provider, spec.model, spec.url) == (provider, model, None)
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize("text", ["Qwen/Qwen3-VL-8B-Instruct", "gpt-oss-120b", "UI-TARS-1.5-7B", "llama3-70b"])
def test_a_name_that_several_serve_lists_the_choices(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert all(f"{provider}|{text}" in str(caught.value) for provider in ("openrouter", "together", "vllm", "local"))


@pytest.mark.parametrize("text", ["", "|", "openai|", "  ", "nobody|x", "mystery-model", "o5x"])
def test_what_names_nothing_is_an_error_in_one_line(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert "\n" not in str(caught.value)


def test_the_flags_of_the_older_tools_work() -> None:
    spec = parse_spec("Qwen3-VL-8B-Instruct", provider="vllm", url="http://gpu:8000/v1/")
    assert spec == ("vllm", "Qwen3-VL-8B-Instruct", "http://gpu:8000/v1")
    assert parse_spec("gpt-5", provider="open_router").provider == "openrouter"
    assert parse_spec("openai|gpt-5", provider="openai").provider == "openai"
    with pytest.raises(SpecError, match="contradicts"):
        parse_spec("openai|gpt-5", provider="azure")


@pytest.mark.parametrize(
    "url", ["gpu:8000", "ftp://gpu/v1", "http://", "http://me:secret@gpu/v1", "http://gpu/v1?key=secret", "http://g/#x"]
)
def test_an_address_with_secrets_or_without_a_host_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec("local|m", url=url)
    assert "secret" not in str(caught.value)


@settings(deadline=None)
@given(provider=st.sampled_from(PROVIDERS.names()), model=st.text(min_size=1).filter(lambda m: m.strip()))
def test_any_model_name_survives_the_round_trip(provider: str, model: str) -> None:
    spec = parse_spec(f"{provider}|{model}")
    assert (spec.provider, spec.model) == (provider, model.strip())


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("us-east-1", "us.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        ("eu-west-1", "eu.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        ("ap-southeast-2", "apac.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        ("sa-east-1", "anthropic.claude-3-7-sonnet-20250219-v1:0"),
    ],
)
def test_short_names_on_bedrock_become_ids_of_the_region(region: str, expected: str) -> None:
    assert bedrock_id("claude-3-7-sonnet", region) == expected


def test_full_ids_on_bedrock_stay_and_unknown_short_names_list_the_known() -> None:
    assert bedrock_id("global.anthropic.claude-new", "us-east-1") == "global.anthropic.claude-new"
    assert bedrock_id("arn:aws:bedrock:x", "us-east-1") == "arn:aws:bedrock:x"
    with pytest.raises(SpecError, match="claude-3-7-sonnet"):
        bedrock_id("claude-new", "us-east-1")
