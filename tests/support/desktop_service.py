"""A real local desktop behind our server, on loopback, in the tests' own event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from support.machine import need_machine
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.perturbations import Applied
from trueline.desktop.serve import serve
from trueline.desktop.serve.settings import ServeSettings
from trueline.serving import Listener

TOKEN = "a-token-of-the-tests-0123456789"
SMALL = LocalOptions(width=1024, height=768)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Look until it holds; the caller limits the time."""
    while True:
        if await holds():
            return
        await asyncio.sleep(0.02)


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    type: str
    body: bytes
    json: Any
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class Service:
    """A server and the desktop behind it."""

    desktop: LocalDesktop
    port: int
    token: str | None

    async def ask(self, method: str, path: str, **how: Any) -> Answer:
        """Send one request as a plain HTTP client would."""
        headers = ({"authorization": f"Bearer {self.token}"} if self.token else {}) | how.pop("headers", {})
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as http,
            http.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, **how) as response,
        ):
            body = await response.read()
            json = await response.json() if response.content_type == "application/json" else None
            return Answer(response.status, response.content_type, body, json, dict(response.headers))

    async def get(self, path: str, **how: Any) -> Answer:
        return await self.ask("GET", path, **how)

    async def post(self, path: str, document: object = None, **how: Any) -> Answer:
        return await self.ask("POST", path, **({"json": document} if document is not None else {}), **how)


@asynccontextmanager
async def served(
    desktop: LocalDesktop,
    token: str | None = TOKEN,
    settings: ServeSettings | None = None,
    perturbation: Applied | None = None,
) -> AsyncGenerator[Service]:
    """Serve a desktop on a free port."""
    listener, stop = Listener.open(port=0), asyncio.Event()
    ready = asyncio.Event()
    service = asyncio.create_task(
        serve(listener, desktop, token, settings, perturbation=perturbation, stop=stop, ready=ready.set)
    )
    try:
        await ready.wait()
        yield Service(desktop, listener.socket.getsockname()[1], token)
    finally:
        stop.set()
        await service


@pytest.fixture(scope="module")
def service(runner: asyncio.Runner) -> Iterator[Service]:
    """A desktop and a server with a token that the tests of a module share; they leave them working."""
    need_machine()

    @asynccontextmanager
    async def both() -> AsyncGenerator[Service]:
        async with LocalDesktop(SMALL) as desktop, served(desktop) as service:
            yield service

    opened = both()
    yield runner.run(opened.__aenter__())
    runner.run(opened.__aexit__(None, None, None))
