from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueline.models.hidden import HIDDEN, hide_options, hide_text, holds_hidden

KEY = "Zq8-long-enough-to-be-a-key"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("client_password", "hunter2"),
        ("password", 1234),
        ("apiKey", KEY),
        ("api-key", KEY),
        ("OPENAI_API_KEY", KEY),
        ("access_token", KEY),
        ("authorization", f"Basic {KEY}"),
        ("api_keys", [KEY, KEY]),
    ],
)
def test_what_is_named_as_a_secret_is_hidden(name: str, value: JsonValue) -> None:
    hidden = hide_options({name: value})[name]
    assert hidden == ([HIDDEN, HIDDEN] if isinstance(value, list) else HIDDEN)


def test_also_deep_inside() -> None:
    value: JsonValue = {"engine": {"model": "m", "api_key": KEY}, "credentials": {"user": "me", "code": "x"}}
    assert hide_options({"arguments": value}) == {
        "arguments": {"engine": {"model": "m", "api_key": HIDDEN}, "credentials": {"user": HIDDEN, "code": HIDDEN}}
    }


def test_what_looks_like_a_key_is_hidden_under_any_name() -> None:
    found = hide_options({"header": "Bearer abcdefgh12345", "server": "https://me:hunter2@host/v1", "x": f"sk-{KEY}"})
    assert "abcdefgh" not in str(found) and "hunter2" not in str(found) and KEY not in str(found)
    assert all(holds_hidden(str(value)) for value in found.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("client_password", "password"),
        ("max_tokens", 1500),
        ("a11y_tree_max_tokens", 10_000),
        ("key", "s"),
        ("keyboard", "a long layout name"),
        ("monkey", "a long name of an ape"),
        ("model", "gpt-5"),
        ("safety_prompt", False),
        ("display", [1280, 800]),
        ("secret", None),
    ],
)
def test_what_is_none_stays(name: str, value: JsonValue) -> None:
    assert hide_options({name: value}) == {name: value}


def test_a_plain_text_is_left_alone() -> None:
    text = "--domain os --model 'local|m' --model_url http://127.0.0.1:8000/v1 me@host"
    assert hide_text(text) == text
