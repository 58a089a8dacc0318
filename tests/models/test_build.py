"""From names to models, and what importing costs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trueline.errors import InputError
from trueline.models import Config, Model, Request, open_model, user
from trueline.models.envfiles import Env
from trueline.models.errors import AuthError, MissingKeyError, SpecError
from trueline.models.ledger import CostLedger
from trueline.models.testing import FakeServer

if TYPE_CHECKING:
    from models.conftest import Lab

ASK = Request(messages=(user("hi"),))


def test_importing_the_room_imports_no_client() -> None:
    heavy = "openai anthropic httpx2 boto3 aiohttp PIL scipy pyarrow matplotlib"
    code = f"import sys, trueline.models; print([m for m in {heavy.split()} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_one_providers_model_does_not_import_the_others_client() -> None:
    code = (
        "import sys; from trueline.models import open_model; open_model('local|m');"
        "print([m for m in ('anthropic', 'boto3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_key_is_told_before_any_client_is_made() -> None:
    with pytest.raises(MissingKeyError, match="ANTHROPIC_API_KEY"):
        open_model("claude-sonnet-4-6", config=Config(env=Env({})))


def test_keys_are_read_from_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOGETHER_API_KEY", raising=False)
    (tmp_path / ".envrc").write_text("export TOGETHER_API_KEY=k123456\n")
    assert str(open_model("together|m").id) == "together|m"


def test_the_identity_of_a_model_holds_the_servers_address(lab: Lab, wire: str) -> None:
    async def talk(model: Model) -> tuple[str, str]:
        return model.id.provider, model.id.url

    server = FakeServer()
    provider, url = lab.session(wire, server, talk)
    assert provider == lab.wires[wire].spec.split("|")[0]
    assert url.startswith(server.url)


def test_flags_for_provider_and_address_work(lab: Lab) -> None:
    async def main() -> str:
        async with FakeServer() as server:
            model = open_model("Qwen3-VL-8B", provider="vllm", url=f"{server.url}/v1", config=Config(env=Env({})))
            await model.ask(ASK)
            await model.close()
            return server.seen[0].headers["authorization"]

    assert asyncio.run(main()) == "Bearer none"


def test_an_unknown_profile_of_aws_is_a_problem_with_the_key_not_a_crash(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))

    async def main() -> None:
        env = Env({"AWS_PROFILE": "nobody", "AWS_REGION": "us-east-1"})
        model = open_model("aws|claude-3-7-sonnet", config=Config(env=env, retry=lab.quick))
        try:
            await model.ask(ASK)
        finally:
            await model.close()

    with pytest.raises(AuthError, match="nobody"):
        asyncio.run(main())


def test_a_bearer_token_for_bedrock_is_used_as_it_is(lab: Lab) -> None:
    async def main() -> str:
        async with FakeServer() as server:
            env = Env(
                {
                    "AWS_BEARER_TOKEN_BEDROCK": "bedrock-token-1",
                    "AWS_REGION": "us-east-1",
                    "ANTHROPIC_BEDROCK_BASE_URL": server.url,
                }
            )
            model = open_model("aws|claude-3-7-sonnet", config=Config(env=env, retry=lab.quick))
            await model.ask(ASK)
            await model.close()
            return server.seen[0].headers["authorization"]

    assert asyncio.run(main()) == "Bearer bedrock-token-1"


def test_a_server_on_this_machine_is_reached_past_the_proxy_of_the_network(
    lab: Lab, protocol_wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    [answer] = lab.run(protocol_wire, FakeServer(), ASK)
    assert answer.text == "ok"


def test_models_of_our_own_need_no_key(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"script\.toml"):
        open_model(f"scripted|{tmp_path}/script.toml")
    with pytest.raises(SpecError, match="embedded"):
        open_model("embedded|gpt-9")


def test_models_of_our_own_are_counted_like_others(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text('[[rules]]\nanswer = { text = "hello" }\n')
    config = Config(ledger=CostLedger(limit=1.0))
    model = open_model(f"scripted|{script}", config=config)
    answer = asyncio.run(model.ask(Request(messages=(user("hi"),), episode="e1")))
    assert answer.text == "hello"
    assert config.ledger.by("episode")["e1"].calls == 1
    assert config.ledger.spent == 0


def test_a_name_that_means_nothing_is_refused() -> None:
    with pytest.raises(SpecError):
        open_model("mystery")
