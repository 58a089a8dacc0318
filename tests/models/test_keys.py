"""Keys are found before any work starts, and shown to nobody."""

from __future__ import annotations

import pytest

from trueline.models.envfiles import Env
from trueline.models.errors import MissingKeyError, SpecError
from trueline.models.keys import Redactor, find_access
from trueline.models.providers import PROVIDERS


@pytest.mark.parametrize(
    ("provider", "named"),
    [
        ("openai", ["OPENAI_API_KEY"]),
        ("azure", ["AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT", "AZURE_API_KEY and AZURE_ENDPOINT"]),
        ("anthropic", ["ANTHROPIC_API_KEY"]),
        ("aws", ["AWS_ACCESS_KEY and AWS_SECRET_KEY and AWS_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"]),
        ("openrouter", ["OPENROUTER_API_KEY"]),
        ("together", ["TOGETHER_API_KEY"]),
        ("gemini", ["GEMINI_API_KEY"]),
    ],
)
def test_a_missing_key_is_one_line_that_names_the_variable(provider: str, named: list[str]) -> None:
    with pytest.raises(MissingKeyError) as caught:
        find_access(PROVIDERS.find(provider), Env({}))
    assert all(name in str(caught.value) for name in named)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_only_what_is_missing_is_named() -> None:
    with pytest.raises(MissingKeyError) as caught:
        find_access(PROVIDERS.find("azure"), Env({"AZURE_API_KEY": "k1"}))
    assert "or AZURE_ENDPOINT in" in str(caught.value)


def test_a_key_that_a_file_makes_by_a_command_is_explained() -> None:
    env = Env({}, {"OPENAI_API_KEY": ".envrc:3", "OTHER": ".envrc:4"})
    with pytest.raises(MissingKeyError, match=r"\.envrc:3 sets OPENAI_API_KEY by a command, which is not run"):
        find_access(PROVIDERS.find("openai"), env)


@pytest.mark.parametrize("provider", ["vllm", "local"])
def test_servers_of_ones_own_need_no_key(provider: str) -> None:
    access = find_access(PROVIDERS.find(provider), Env({"OPENAI_API_KEY": "sk-not-for-them"}))
    assert access["url"] == "http://localhost:8000/v1"
    assert access["key"] == "none"


@pytest.mark.parametrize(
    ("provider", "values", "expected"),
    [
        ("local", {"LOCAL_OPENAI_BASE_URL": "http://gpu:1/v1"}, {"url": "http://gpu:1/v1"}),
        ("openai", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://proxy/v1/"}, {"url": "http://proxy/v1"}),
        ("gemini", {"GENAI_API_KEY": "k"}, {"key": "k"}),
        ("gemini", {"GENAI_API_KEY": "k", "GEMINI_API_KEY": "l"}, {"key": "l"}),
        ("azure", {"AZURE_API_KEY": "k", "AZURE_ENDPOINT": "https://a", "AZURE_API_VERSION": "v"}, {"version": "v"}),
        ("azure", {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://a"}, {"url": "https://a"}),
        (
            "aws",
            {"AWS_ACCESS_KEY": "a", "AWS_SECRET_KEY": "s", "AWS_REGION": "eu-west-1"},
            {"key": "a", "secret": "s", "url": "https://bedrock-runtime.eu-west-1.amazonaws.com"},
        ),
        (
            "aws",
            {
                "AWS_ACCESS_KEY_ID": "a",
                "AWS_SECRET_ACCESS_KEY": "s",
                "AWS_SESSION_TOKEN": "t",
                "AWS_DEFAULT_REGION": "us-east-1",
            },
            {"key": "a", "secret": "s", "session": "t", "region": "us-east-1"},
        ),
        ("aws", {"AWS_PROFILE": "work", "AWS_REGION": "us-east-1"}, {"profile": "work"}),
    ],
)
def test_the_variables_of_all_three_older_tools_are_understood(
    provider: str, values: dict[str, str], expected: dict[str, str]
) -> None:
    found = dict(find_access(PROVIDERS.find(provider), Env(values)).values)
    assert expected.items() <= found.items()


def test_the_two_families_of_azure_are_never_mixed() -> None:
    env = Env({"AZURE_OPENAI_API_KEY": "one", "AZURE_API_KEY": "two", "AZURE_ENDPOINT": "https://two"})
    access = find_access(PROVIDERS.find("azure"), env)
    assert (access["key"], access["url"]) == ("two", "https://two")


def test_an_address_given_beside_the_name_wins_and_bad_ones_of_the_environment_are_refused() -> None:
    env = Env({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://user:pw@proxy"})
    assert find_access(PROVIDERS.find("openai"), env, "http://mine/v1")["url"] == "http://mine/v1"
    with pytest.raises(SpecError):
        find_access(PROVIDERS.find("openai"), env)


@pytest.mark.parametrize("key", ["sk-secr\u2026et", "sk-sec ret", "sk-sec\nret", "\u201csk-secret\u201d"])
def test_a_key_that_was_copied_badly_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY") as caught:
        find_access(PROVIDERS.find("openai"), Env({"OPENAI_API_KEY": key}))
    assert "sec" not in str(caught.value)


def test_keys_do_not_show_in_representations() -> None:
    env = Env({"OPENAI_API_KEY": "sk-verysecret"})
    assert "verysecret" not in repr(find_access(PROVIDERS.find("openai"), env))
    assert "verysecret" not in repr(Redactor.from_env(env))


def test_known_keys_and_what_looks_like_one_are_taken_out_of_texts() -> None:
    redactor = Redactor.from_env(Env({"TOGETHER_API_KEY": "plainlooking", "AWS_SECRET_KEY": "plainlooking/longer+1"}))
    text = redactor.clean(
        "plainlooking plainlooking/longer+1 sk-proj-abcdefgh AKIAIOSFODNN7EXAMPLE Bearer abcdefgh.ijk task-force"
    )
    assert text == "[key] [key] [key] [key] Bearer [key] task-force"
