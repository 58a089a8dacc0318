"""A key goes only to an address that comes from where the key comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueline.cli import main
from trueline.models.envfiles import load_env
from trueline.models.errors import ForeignAddressError, MissingKeyError
from trueline.models.keys import find_access
from trueline.models.providers import PROVIDERS

EVIL = "http://evil.example/v1"
KEY = "sk-from-the-environment"

REFUSED: list[tuple[str, dict[str, str], str, str]] = [
    ("openai", {"OPENAI_API_KEY": KEY}, f"OPENAI_BASE_URL={EVIL}", ""),
    ("openai", {"OPENAI_API_KEY": KEY}, "", f"export OPENAI_BASE_URL={EVIL}"),
    ("openai", {"OPENAI_API_KEY": KEY}, f"OPENAI_API_KEY=sk-other-0123456\nOPENAI_BASE_URL={EVIL}", ""),
    ("openai", {"MY_KEY": KEY}, f"OPENAI_API_KEY=$MY_KEY\nOPENAI_BASE_URL={EVIL}", ""),
    ("openai", {"MY_KEY": KEY}, f"A=${{MY_KEY}}\nOPENAI_API_KEY=$A\nOPENAI_BASE_URL={EVIL}", ""),
    ("openai", {}, "OPENAI_API_KEY=sk-mine-0123456", f"OPENAI_BASE_URL={EVIL}"),
    ("vllm", {"OPENAI_API_KEY": KEY}, "VLLM_BASE_URL=http://evil.example/$OPENAI_API_KEY/v1", ""),
    ("vllm", {"VLLM_API_KEY": KEY}, f"vLLM_ENDPOINT_URL={EVIL}", ""),
    ("anthropic", {"ANTHROPIC_API_KEY": KEY}, f"ANTHROPIC_BASE_URL={EVIL}", ""),
    ("azure", {"AZURE_API_KEY": KEY}, f"AZURE_ENDPOINT={EVIL}", ""),
    ("gemini", {"GOOGLE_API_KEY": KEY}, f"GEMINI_BASE_URL={EVIL}", ""),
    (
        "aws",
        {"AWS_ACCESS_KEY": "AKIA0123456789ABCDEF", "AWS_SECRET_KEY": KEY, "AWS_REGION": "us-east-1"},
        f"ANTHROPIC_BEDROCK_BASE_URL={EVIL}",
        "",
    ),
    ("aws", {"AWS_PROFILE": "me", "AWS_REGION": "us-east-1"}, f"ANTHROPIC_BEDROCK_BASE_URL={EVIL}", ""),
]
ACCEPTED: list[tuple[str, dict[str, str], str]] = [
    ("openai", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": EVIL}, ""),
    ("openai", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": EVIL}, "OPENAI_BASE_URL=http://other.example/v1"),
    ("openai", {}, f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL={EVIL}"),
    ("openai", {"OPENAI_API_KEY": KEY}, f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL={EVIL}"),
    ("openai", {"OPENAI_BASE_URL": EVIL}, f"OPENAI_API_KEY={KEY}"),
    ("openai", {"OPENAI_API_KEY": KEY}, ""),
    ("vllm", {"OPENAI_API_KEY": KEY}, "VLLM_BASE_URL=http://localhost:9/v1"),
    ("vllm", {"GPU_HOST": "gpu"}, "VLLM_BASE_URL=http://$GPU_HOST:8000/v1"),
]


@pytest.mark.parametrize(("provider", "environ", "env_file", "envrc"), REFUSED)
def test_a_file_cannot_send_a_key_of_elsewhere_to_an_address_of_its_own(
    tmp_path: Path, provider: str, environ: dict[str, str], env_file: str, envrc: str
) -> None:
    (tmp_path / ".env").write_text(env_file)
    (tmp_path / ".envrc").write_text(envrc)
    with pytest.raises(ForeignAddressError) as caught:
        find_access(PROVIDERS.find(provider), load_env(tmp_path, environ))
    words = str(caught.value)
    assert "\n" not in words and KEY not in words
    assert ".env" in words and caught.value.exit_code == 2


@pytest.mark.parametrize(("provider", "environ", "env_file"), ACCEPTED)
def test_what_comes_from_one_place_goes_together(
    tmp_path: Path, provider: str, environ: dict[str, str], env_file: str
) -> None:
    (tmp_path / ".env").write_text(env_file)
    assert find_access(PROVIDERS.find(provider), load_env(tmp_path, environ))["url"]


def test_an_address_that_is_given_by_hand_stands_over_both(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={EVIL}")
    access = find_access(PROVIDERS.find("openai"), load_env(tmp_path, {"OPENAI_API_KEY": KEY}), "http://localhost:9/v1")
    assert access["url"] == "http://localhost:9/v1"


@pytest.mark.parametrize("region", ["evil.example/", "x@evil.example#", "us-east-1.evil.example"])
def test_a_region_cannot_lead_the_address_elsewhere(tmp_path: Path, region: str) -> None:
    (tmp_path / ".env").write_text(f"AWS_REGION={region}")
    with pytest.raises(MissingKeyError, match="AWS_REGION"):
        find_access(PROVIDERS.find("aws"), load_env(tmp_path, {"AWS_BEARER_TOKEN_BEDROCK": KEY}))


def test_a_command_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    Path(".env").write_text(f"OPENAI_BASE_URL={EVIL}\n")
    assert main(["model", "ask", "openai|gpt-4o", "hello"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "OPENAI_BASE_URL from .env" in err and KEY not in err
