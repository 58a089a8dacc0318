"""Real clients against a server on loopback, with little patience so that failures are quick."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import pytest

from trueline.models import Answer, Config, CostLedger, Limiters, Model, Request, open_model
from trueline.models.envfiles import Env
from trueline.models.retry import RetryPolicy
from trueline.models.testing import FakeServer

T = TypeVar("T")

KEYS = {
    "OPENAI_API_KEY": "sk-openai-0123456789abcdef",
    "AZURE_API_KEY": "azure-0123456789abcdef0123456789",
    "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef",
    "AWS_ACCESS_KEY": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "OPENROUTER_API_KEY": "sk-or-0123456789abcdef",
    "TOGETHER_API_KEY": "together-0123456789abcdef",
    "GENAI_API_KEY": "gemini-0123456789abcdef",
    "VLLM_API_KEY": "vllm-0123456789abcdef",
    "LOCAL_OPENAI_API_KEY": "local-0123456789abcdef",
}


class Wire(NamedTuple):
    """One way to a model: a provider and the protocol it is spoken to with."""

    spec: str
    protocol: str


WIRES = {
    "openai": Wire("openai|gpt-4o", "chat"),
    "responses": Wire("openai|computer-use-preview", "responses"),
    "azure": Wire("azure|gpt-4o", "chat"),
    "anthropic": Wire("anthropic|claude-sonnet-4-5", "messages"),
    "aws": Wire("aws|claude-3-7-sonnet", "messages"),
    "openrouter": Wire("openrouter|moonshotai/kimi-k2.5", "chat"),
    "together": Wire("together|Qwen/Qwen3-VL-32B-Instruct", "chat"),
    "gemini": Wire("gemini|gemini-2.5-pro", "chat"),
    "vllm": Wire("vllm|ByteDance-Seed/UI-TARS-1.5-7B", "chat"),
    "local": Wire("local|any", "chat"),
}
PROTOCOLS = ("openai", "responses", "azure", "anthropic", "aws")
"""One of each path through the code; the other providers share the first."""

QUICK = RetryPolicy(attempts=3, first_s=0.001, longest_s=0.01, attempt_s=20, deadline_s=20)


def env_of(server: FakeServer) -> Env:
    """Keys for all providers, all of which live on the server of the test."""
    urls = ("OPENAI", "OPENROUTER", "TOGETHER", "GEMINI", "VLLM", "LOCAL_OPENAI")
    addresses = {f"{name}_BASE_URL": f"{server.url}/v1" for name in urls}
    addresses |= dict.fromkeys(("AZURE_ENDPOINT", "ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL"), server.url)
    return Env(KEYS | addresses | {"AWS_REGION": "us-east-1"})


def config_of(
    server: FakeServer, retry: RetryPolicy = QUICK, limiters: Limiters | None = None, ledger: CostLedger | None = None
) -> Config:
    return Config(env=env_of(server), retry=retry, limiters=limiters or Limiters(), ledger=ledger or CostLedger())


class Lab:
    """What a test needs to talk to a model."""

    wires = WIRES
    keys = KEYS
    quick = QUICK
    config = staticmethod(config_of)

    def run(
        self, wire: str, server: FakeServer, *requests: Request, config: Callable[[FakeServer], Config] = config_of
    ) -> list[Answer]:
        """Ask a model one request after the other."""

        async def ask_all(model: Model) -> list[Answer]:
            return [await model.ask(request) for request in requests]

        return self.session(wire, server, ask_all, config)

    def session(
        self,
        wire: str,
        server: FakeServer,
        talk: Callable[[Model], Awaitable[T]],
        config: Callable[[FakeServer], Config] = config_of,
    ) -> T:
        """Start the server and a model, talk, and stop both, in a fresh event loop; nothing may take forever."""

        async def main() -> T:
            async with asyncio.timeout(60), server:
                model = open_model(self.wires[wire].spec, config=config(server))
                try:
                    return await talk(model)
                finally:
                    await model.close()

        return asyncio.run(main())


@pytest.fixture(scope="session")
def lab() -> Lab:
    return Lab()


@pytest.fixture(params=list(WIRES))
def wire(request: pytest.FixtureRequest) -> str:
    """Each provider."""
    return str(request.param)


@pytest.fixture(params=PROTOCOLS)
def protocol_wire(request: pytest.FixtureRequest) -> str:
    """Each path through the code."""
    return str(request.param)
