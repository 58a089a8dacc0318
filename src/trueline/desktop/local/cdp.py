"""A browser's tabs over its DevTools: listed, opened, closed, without a port of the host and without a driver.

The browser must have been started with `--remote-debugging-port`. That port is open to everything inside the desktop:
code that an agent runs there can drive the browser through it, past whoever looks at clicks and keys alone.
"""

from __future__ import annotations

import asyncio
import socket
import time
from html import unescape
from http.client import HTTPConnection, HTTPException
from typing import Annotated, Protocol, TypeVar
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from trueline.desktop.types import ActionTimeout, DesktopError, DesktopLost

PORT = 1337
"""Where tasks have the browser listen."""
_LIMIT = 10.0
_MOST_BYTES = 16 << 20
_POLL = 0.05


class Connecting(Protocol):
    """A desktop whose ports can be reached."""

    async def connect(self, *, path: str | None = None, port: int | None = None) -> socket.socket:
        """Connect to a port inside."""
        ...


class Tab(BaseModel):
    """A page of the browser."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    type: str = "page"
    title: Annotated[str, AfterValidator(unescape)] = ""
    url: str = ""
    address: str = Field(default="", alias="webSocketDebuggerUrl")
    """Where a driver talks to it, as seen inside the desktop."""


class _Browser(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    address: str = Field(alias="webSocketDebuggerUrl")


T = TypeVar("T")
_TABS, _TAB, _BROWSER = TypeAdapter(list[Tab]), TypeAdapter(Tab), TypeAdapter(_Browser)


class Tabs:
    """The tabs of the browser whose DevTools listen on a port inside a desktop."""

    def __init__(self, desktop: Connecting, port: int = PORT) -> None:
        """Talk to this port; nothing is connected yet."""
        self._desktop = desktop
        self._port = port

    async def wait_until_up(self, *, time_limit: float = 30.0) -> None:
        """Wait until the browser answers.

        Raises:
            ActionTimeout: It did not in time.
        """
        end = time.monotonic() + time_limit
        while True:
            try:
                await self._ask("GET", "/json/version")
                return
            except DesktopLost:
                raise
            except DesktopError as error:
                if time.monotonic() > end:
                    raise ActionTimeout(f"no DevTools on port {self._port} within {time_limit:g} s: {error}") from error
                await asyncio.sleep(_POLL)

    async def pages(self) -> tuple[Tab, ...]:
        """The pages that are open, the one used last first; no workers, no extensions."""
        found = self._read(_TABS, await self._ask("GET", "/json/list"))
        return tuple(tab for tab in found if tab.type == "page")

    async def open(self, url: str) -> Tab:
        """Open a page in a new tab; returns at once, while it loads."""
        return self._read(_TAB, await self._ask("PUT", f"/json/new?{quote(url, safe='')}"))

    async def activate(self, tab: Tab) -> None:
        """Bring a tab to the front."""
        await self._ask("GET", f"/json/activate/{quote(tab.id, safe='')}")

    async def close(self, tab: Tab) -> None:
        """Close a tab."""
        await self._ask("GET", f"/json/close/{quote(tab.id, safe='')}")

    async def browser(self) -> str:
        """The address of the whole browser for a driver, as seen inside; reach it with the desktop's `forward`."""
        return self._read(_BROWSER, await self._ask("GET", "/json/version")).address

    async def _ask(self, method: str, path: str) -> bytes:
        sock = await self._desktop.connect(port=self._port)
        try:
            return await asyncio.to_thread(_exchange, sock, method, path)
        except (OSError, HTTPException, ValueError) as error:
            raise DesktopError(f"DevTools on port {self._port}: {method} {path[:80]}: {error}") from error

    def _read(self, shape: TypeAdapter[T], answer: bytes) -> T:
        try:
            return shape.validate_json(answer)
        except ValidationError as error:
            raise DesktopError(f"DevTools on port {self._port}: unexpected answer") from error


def _exchange(sock: socket.socket, method: str, path: str) -> bytes:
    """One request over a connected socket, which is closed."""
    sock.settimeout(_LIMIT)
    connection = HTTPConnection("localhost")  # other names are refused
    connection.sock = sock
    try:
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read(_MOST_BYTES + 1)
    finally:
        connection.close()
    if response.status != 200:
        raise ValueError(f"it says {response.status}: {body[:200].decode('utf-8', 'replace')}")
    if len(body) > _MOST_BYTES:
        raise ValueError("the answer is too long")
    return body
