"""The registry of providers: our own, and those of other packages."""

from __future__ import annotations

import asyncio
import logging
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import JsonValue

import trueline.models.providers
from trueline.errors import InputError
from trueline.models import Answer, Config, CostLedger, Model, ModelId, Provider, Request, open_model, user
from trueline.models.envfiles import Env
from trueline.models.errors import SpecError
from trueline.models.keys import Redactor
from trueline.models.provider import Variable
from trueline.models.providers import PROVIDERS, usable_providers
from trueline.models.testing import Body, FakeServer
from trueline.models.types import Text
from trueline.models.wire import DecodedResponse, HttpCall

ASK = Request(messages=(user("hi"),))
IMPORTS = """
from models.test_providers import PlainCodec, echo
from trueline.models import (Provider, server_credentials as credentials)
from trueline.models.provider import Variable
"""
Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a module as a package with one provider, its name given."""
    monkeypatch.syspath_prepend(tmp_path)
    # What was found is remembered; a program that starts with the package installed has found nothing.
    monkeypatch.setattr(PROVIDERS, "_found", {})

    def write(name: str, code: str) -> None:
        module = f"of_{tmp_path.name}_{name}".replace("-", "_")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[trueline.providers]\n{name} = {module}:PROVIDER\n")
        (tmp_path / f"{module}.py").write_text(f"{IMPORTS}\n{code}\n")

    return write


def echo(name: str) -> Model:
    return Echo(name)


@dataclass
class Echo:
    """Runs in this process and repeats the question."""

    name: str

    @property
    def id(self) -> ModelId:
        return ModelId(provider="echo", model=self.name)

    async def ask(self, request: Request) -> Answer:
        (part,) = request.messages[0].parts
        assert isinstance(part, Text)
        return Answer(text=f"{self.name}: {part.text}")

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class PlainCodec:
    """An API of its own, with plain words."""

    model: str
    takes_stop = False

    def encode(self, request: Request) -> HttpCall:
        (part,) = request.messages[0].parts
        assert isinstance(part, Text)
        return HttpCall("/chat/completions", {"who": self.model, "what": part.text})

    def decode(self, data: JsonValue, request: Request) -> DecodedResponse:
        assert isinstance(data, dict)
        return DecodedResponse(Answer(text=str(data["said"])))


def test_every_file_is_a_provider_of_its_name() -> None:
    files = {module.name for module in pkgutil.iter_modules(trueline.models.providers.__path__)}
    assert files == {provider.name for provider in usable_providers()}
    assert files == set(PROVIDERS.names())


def test_a_model_in_this_process_needs_no_key_and_costs_nothing(install: Install) -> None:
    install("echo", "PROVIDER = Provider('echo', 'Echoes', open_model=echo)")
    model = open_model("echo|canyon", config=Config(env=Env({}), ledger=CostLedger(limit=0.01)))
    assert asyncio.run(model.ask(ASK)).text == "canyon: hi"


def test_an_api_of_its_own(install: Install) -> None:
    install("plain", "PROVIDER = Provider('plain', 'Plain', credentials=credentials('', ('P_URL',), ('P_KEY',)),"
            "codec=PlainCodec)")  # fmt: skip
    server = FakeServer(Body(b'{"said": "good day"}'))

    async def work() -> str:
        async with server:
            env = Env({"P_URL": f"{server.url}/v1", "P_KEY": "plain-0123456789"})
            model = open_model("plain|m", config=Config(env=env))
            try:
                return (await model.ask(ASK)).text
            finally:
                await model.close()

    assert asyncio.run(work()) == "good day"
    assert server.seen[0].body == {"who": "m", "what": "hi"}


def test_its_key_is_redacted_whichever_model_is_asked(install: Install) -> None:
    install("shy", "PROVIDER = Provider('shy', 'Shy', credentials=credentials('http://h/v1', ('S_URL',), ('S_KEY',)))")
    assert Redactor.from_env(Env({"S_KEY": "shy-0123456789"})).clean("it is shy-0123456789") == "it is [key]"


HTTP = "credentials=credentials('http://h/v1', ('U',), ('K',))"


@pytest.mark.parametrize(
    ("name", "code", "problem"),
    [
        ("openai", f"PROVIDER = Provider('openai', '', {HTTP})", "is defined more than once"),
        ("one", f"PROVIDER = Provider('other', '', {HTTP})", "is registered under this name but calls itself 'other'"),
        ("two", "PROVIDER = 'two'", "must be a trueline.models.Provider"),
        ("three", "PROVIDER = Provider('three', '')", "lack a variable with the role key and url"),
        ("four", "PROVIDER = Provider('four', '', credentials=((Variable('key', ('K',)),),))", "with the role url"),
        ("five", f"PROVIDER = Provider('five', '', {HTTP}, open_model=echo)", "it takes no credentials"),
        ("six", "import no_such_module", "'no_such_module'"),
    ],
)
def test_a_broken_package_is_an_error_where_it_is_used_and_a_warning_elsewhere(
    install: Install,
    name: str,
    code: str,
    problem: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(name, code)
    with pytest.raises(InputError, match=problem) as caught:
        open_model(f"{name}|m", config=Config(env=Env({"OPENAI_API_KEY": "sk-0123456789", "K": "k-0123456789"})))
    assert "\n" not in str(caught.value)
    with caplog.at_level(logging.WARNING):
        assert "local" in {provider.name for provider in usable_providers()}
    assert problem in caplog.text


def test_an_unknown_provider_lists_those_of_packages_too(install: Install) -> None:
    install("echo", "PROVIDER = Provider('echo', 'Echoes', open_model=echo)")
    with pytest.raises(SpecError, match=r"unknown provider 'ecko'; choose one of openai, .*, scripted, echo$"):
        open_model("ecko|m")


def test_a_client_that_is_not_installed_is_named(install: Install) -> None:
    install("gone", "def client(access, redactor):\n    import acme_sdk\n"
            f"PROVIDER = Provider('gone', '', {HTTP}, open_client=client)")  # fmt: skip
    with pytest.raises(InputError, match="provider 'gone': cannot be imported: No module named 'acme_sdk'"):
        open_model("gone|m", config=Config(env=Env({"K": "k-0123456789"})))


def test_modules_that_a_provider_needs() -> None:
    messages = Provider("m", "", "messages")
    assert messages.required_modules == ("anthropic",)
    assert replace(messages, modules=("acme",)).required_modules == ("acme",)
    assert Provider("e", "", open_model=echo).required_modules == ()
    assert Variable("key", ("K",)).required
