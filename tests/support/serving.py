"""The guard's service on loopback, and a real client."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from support.guarding import WordGuard, png
from trueline.guard.serve import GuardServeSettings, serve
from trueline.guard.types import Guard
from trueline.serving import Listener

TOKEN = "a-token-of-the-tests-0123456789"
OTHER = "another-token-of-the-tests-987654"
PICTURE = base64.b64encode(png()).decode()


class Client:
    """Speaks to the service as somebody with a token."""

    def __init__(self, http: aiohttp.ClientSession, url: str, token: str | None = TOKEN) -> None:
        self.http = http
        self.url = url
        self.headers = {"authorization": f"Bearer {token}"} if token else {}

    def as_(self, token: str | None) -> Client:
        return Client(self.http, self.url, token)

    async def ask(self, method: str, path: str, **how: Any) -> tuple[int, Any]:
        """Return the status and the body: JSON where it is JSON, else text."""
        headers = self.headers | how.pop("headers", {})
        async with self.http.request(method, self.url + path, headers=headers, **how) as response:
            assert response.headers["cache-control"] == "no-store"
            if response.content_type == "application/json" and response.status != 204:
                return response.status, await response.json()
            return response.status, await response.text()

    async def post(self, path: str, document: object) -> tuple[int, Any]:
        return await self.ask("POST", path, json=document)

    async def begin(self, instruction: str = "Rename the file", **more: object) -> str:
        status, answer = await self.post("/v1/sessions", {"instruction": instruction, **more})
        assert status == 201, answer
        return answer["session"]

    async def check(self, session: str, words: str, **more: object) -> Any:
        document = {"session": session, "action": f"pyautogui.write({words!r})", "screenshot": PICTURE, **more}
        status, answer = await self.post("/v1/check", document)
        assert status == 200, answer
        return answer


@asynccontextmanager
async def running(guard: Guard | None = None, settings: GuardServeSettings | None = None) -> AsyncGenerator[Client]:
    """Run the service on a free port with two tokens."""
    listener, stop = Listener.open(port=0), asyncio.Event()
    service = asyncio.create_task(
        serve(listener, guard or WordGuard(), [TOKEN, OTHER], settings or GuardServeSettings(), stop=stop, grace_s=5)
    )
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(30)) as http:
            yield Client(http, listener.url)
    finally:
        stop.set()
        await service
