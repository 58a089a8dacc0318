"""Asking the machine over HTTP: every request bounded in time and size, reads tried again, nothing else.

What is sent once and not answered may have been done: an action or a setup step is never sent a second time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    DesktopError,
    DesktopLost,
    DesktopUnavailable,
    NotSupported,
    PathRefused,
)
from trueline.errors import InputError, MissingExtraError, TruelineError
from trueline.text import printable

MIB = 1 << 20
T = TypeVar("T")
Upload = Mapping[str, tuple[str, bytes]]


class Malformed(DesktopError):
    """An invalid answer; a retry may succeed."""


class _Failed(DesktopError):
    """The machine answered with an error of its own (5xx)."""


@dataclass(frozen=True)
class Patience:
    """Timeouts and retries."""

    connect: float = 5.0
    read: float = 30.0
    """Seconds for one try of a read."""
    tries: int = 4
    backoff: float = 0.25
    """Seconds before the second try; each further one waits twice as long."""
    back: float = 20.0
    """Seconds for which a reset waits for a machine that does not answer."""


@dataclass(frozen=True)
class MachineRequest:
    """One request."""

    method: Literal["GET", "POST"]
    path: str
    json: JsonValue = None
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    file: Upload = field(default_factory=dict[str, tuple[str, bytes]])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    limit: int = 32 * MIB
    """Bytes of the answer."""
    content: bytes | None = None
    """The body as it is, instead of JSON or a form; its type stands in the headers."""


@dataclass(frozen=True)
class MachineAnswer:
    """What came back, whatever its status."""

    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Header values by lower-case name."""


class _Error(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message: str = ""
    error: str = ""
    output: str | None = None
    type: str = ""


class Http:
    """One machine's server."""

    def __init__(self, url: str, token: str | None, patience: Patience) -> None:
        try:
            import httpx2
        except ImportError:
            raise MissingExtraError("a desktop over HTTP", "desktop") from None
        self._patience = patience
        self._url = url
        headers = {"authorization": f"Bearer {token}"} if token else {}
        # No proxy of the environment: the machine is on this one or beside it. No redirect: it would take the token.
        # No connection is used twice: one that the other side closes just then breaks, and an action is not sent again.
        self._client = httpx2.AsyncClient(
            base_url=url,
            headers=headers,
            trust_env=False,
            timeout=httpx2.Timeout(None, connect=patience.connect),
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def read(self, request: MachineRequest, parse: Callable[[bytes], T], *, tries: int | None = None) -> T:
        """Make a read-only request, with retries; `parse` raises Malformed to retry.

        Raises:
            DesktopLost: It does not answer, or its answers make no sense.
            TruelineError: It refused.
        """
        return await self.read_answer(request, lambda answer: parse(answer.body), tries=tries)

    async def read_answer(
        self, request: MachineRequest, parse: Callable[[MachineAnswer], T], *, tries: int | None = None
    ) -> T:
        """The same, where the answer's headers matter too."""
        patience = self._patience
        for left in reversed(range(tries or patience.tries)):
            try:
                answer = await self._send(request, patience.read)
                return await asyncio.to_thread(parse, answer)
            except (ActionTimeout, ActionInterrupted, DesktopLost, Malformed, _Failed) as error:
                if not left:
                    place = f"{self._url}{request.path}: " if isinstance(error, Malformed) else ""
                    raise DesktopLost(f"{place}{error}") from error
            await asyncio.sleep(patience.backoff * 2 ** (patience.tries - 1 - left))
        raise AssertionError("the last try returns or raises")

    async def do(self, request: MachineRequest, seconds: float) -> bytes:
        """Make a request that changes something, once.

        Raises:
            DesktopLost: It cannot be reached; nothing was sent.
            ActionTimeout: It did not answer in time: it may have been done.
            ActionInterrupted: The connection broke: it may have been done.
            TruelineError: It refused, or failed.
        """
        return (await self._send(request, seconds)).body

    async def forward(self, request: MachineRequest, seconds: float) -> MachineAnswer:
        """Forward a request, once, and return its answer unchanged.

        Raises:
            DesktopLost: The machine cannot be reached; nothing was sent.
            ActionTimeout: It did not answer in time: it may have been done.
            ActionInterrupted: The connection broke: it may have been done.
            PathRefused: The answer is too long.
        """
        return await self._bounded(request, seconds)

    async def _send(self, request: MachineRequest, seconds: float) -> MachineAnswer:
        answer = await self._bounded(request, seconds)
        if answer.status != 200:
            raise _problem(request, f"{self._url}{request.path}", answer.status, answer.body)
        return answer

    async def _bounded(self, request: MachineRequest, seconds: float) -> MachineAnswer:
        import httpx2

        place = f"{self._url}{request.path}"
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(request, place)
        except TimeoutError:
            raise ActionTimeout(f"{place}: no answer within {seconds:g} s") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise DesktopLost(f"{place}: cannot be reached: {_why(error)}") from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise ActionInterrupted(f"{place}: the connection broke: {_why(error)}") from error

    async def _exchange(self, request: MachineRequest, place: str) -> MachineAnswer:
        body = bytearray()
        async with self._client.stream(
            request.method,
            request.path,
            json=request.json,
            content=request.content,
            data=dict(request.form) or None,
            files=dict(request.file) or None,
            headers=dict(request.headers),
        ) as response:
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > request.limit:
                    raise PathRefused(f"{place}: the answer is longer than {request.limit} bytes")
            headers = {name.lower(): value for name, value in response.headers.items()}
            return MachineAnswer(response.status_code, headers.get("content-type", ""), bytes(body), headers)


def _problem(request: MachineRequest, place: str, status: int, body: bytes) -> TruelineError:
    """What an answer other than 200 means."""
    said = _Error()
    with suppress(ValidationError):
        said = _Error.model_validate_json(body)
    reason = said.message or said.error or said.output or f"HTTP {status}"
    text = f"{place}: {printable(reason, 500)}"
    if status == 401:
        return DesktopUnavailable(f"{text}; give the token of the server, or set TRUELINE_DESKTOP_TOKEN")
    known: dict[str, type[TruelineError]] = {
        "timeout": ActionTimeout,
        "interrupted": ActionInterrupted,
        "lost": DesktopLost,
        "path": PathRefused,
        "not_supported": NotSupported,
    }
    if said.type in known:
        return known[said.type](text)
    if status in (404, 405):
        return PathRefused(text) if request.path == "/file" else NotSupported(f"{text}: not supported there")
    if status < 500:
        return InputError(text)
    # OSWorld's own server has no types: its time-outs are told by what Python's `subprocess` says of them.
    return ActionTimeout(text) if "timed out" in reason else _Failed(text)


def _why(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 200)
