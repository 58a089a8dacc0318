"""A small HTTP server on loopback that plays a provider."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import unquote

import orjson
from pydantic import JsonValue

from trueline.models.testing.plays import Body, Hang, Play, Protocol, Reset, Say, Status
from trueline.models.testing.render import render_answer, render_error
from trueline.models.types import Json

_PATHS: tuple[tuple[str, Protocol], ...] = (
    ("/chat/completions", "chat"),
    ("/responses", "responses"),
    ("/v1/messages", "messages"),
    ("/invoke", "messages"),
)
_HEAD_LIMIT = 64 * 1024
OK = Say()


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str] = field(repr=False)
    raw: bytes = field(repr=False)

    @property
    def protocol(self) -> Protocol | None:
        """Which protocol its path belongs to."""
        bare = self.path.partition("?")[0]
        return next((protocol for ending, protocol in _PATHS if bare.endswith(ending)), None)

    @property
    def body(self) -> Json:
        """The JSON that was sent."""
        return orjson.loads(self.raw)

    @property
    def model(self) -> str:
        """The model asked for; on Bedrock it stands in the path."""
        if self.path.startswith("/model/"):
            return unquote(self.path.split("/")[2])
        return str(self.body.get("model", ""))

    def pictures(self) -> list[str]:
        """SHA-256 of every picture in the request, in order."""
        return [hashlib.sha256(base64.b64decode(data)).hexdigest() for data in _base64_in(self.body)]


def _base64_in(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("data:image/"):
        yield value.partition("base64,")[2]
    elif isinstance(value, dict):
        if value.get("type") == "base64":
            yield str(value.get("data"))
        else:
            for child in value.values():
                yield from _base64_in(child)
    elif isinstance(value, list):
        for child in value:
            yield from _base64_in(child)


class FakeServer:
    """Plays what it is given, one play for each request, then `default` for all that follow.

    `default` may be a function of the request. It speaks OpenAI's chat completions (Azure's paths too) and Responses
    API, Anthropic's messages, and Bedrock's invocations.
    """

    def __init__(self, *plays: Play, default: Play | Callable[[Seen], Play] = OK, keep: int | None = None) -> None:
        self.plays: deque[Play] = deque(plays)
        self.default = default
        self.seen: deque[Seen] = deque(maxlen=keep)
        """The requests so far, at most the last `keep`."""
        self.count = 0
        self.active = 0
        self.most_active = 0
        """The most requests that were being answered at the same time."""
        self.asked = asyncio.Event()
        """Set once the first request has arrived."""
        self.abandoned = asyncio.Event()
        """Set once a client gave up on a request that hangs."""
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        """Start on a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_LIMIT)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and drop every connection."""
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while seen := await _read(reader):
                self.seen.append(seen)
                self.count += 1
                self.asked.set()
                self.active += 1
                self.most_active = max(self.most_active, self.active)
                try:
                    await self._play(seen, reader, writer)
                finally:
                    self.active -= 1
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _play(self, seen: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        default = self.default(seen) if callable(self.default) else self.default
        play = self.plays.popleft() if self.plays else default
        if seen.protocol is None:
            play = Status(404, f"no such path: {seen.path}")
        match play:
            case Say():
                await asyncio.sleep(play.delay_s)
                _send(writer, 200, orjson.dumps(render_answer(play, seen.protocol or "chat", seen.model)))
            case Status():
                _send(writer, play.code, orjson.dumps(render_error(play)), play.headers)
            case Body():
                _send(writer, play.status, play.data, play.headers)
            case Hang():
                await reader.read(1)
                self.abandoned.set()
            case Reset():
                writer.write(
                    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"id": "x"'
                )
                await writer.drain()
                raw: socket.socket = writer.get_extra_info("socket")
                # Lingering for no time makes the kernel send a reset instead of an orderly end.
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
        await writer.drain()


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
    except asyncio.IncompleteReadError:
        return None
    return Seen(head[0].split(" ")[1], headers, raw)


def _send(writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    lines = [f"HTTP/1.1 {status} Played", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
