"""A real TCP proxy in front of an HTTP server that goes wrong on demand, and counts what it let through."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

Fault = Literal["refuse", "error", "lose", "truncate", "garbage", "hang"]
"""refuse: closes before it forwards. error: answers 500 itself. lose: forwards, then closes without the answer.
truncate: forwards half of the answer. garbage: turns the body of the answer into noise. hang: forwards, then is silent.
"""

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass
class Proxy:
    """Where it listens, what is to go wrong next, and which paths reached the server how often."""

    port: int = 0
    faults: list[Fault | None] = field(default_factory=list["Fault | None"])
    reached: Counter[str] = field(default_factory=Counter[str])
    asked: int = 0
    hidden: str = "\0"
    """Paths that begin like this are answered with 404, as by a server that does not know them."""


@asynccontextmanager
async def faulty(target: int) -> AsyncGenerator[Proxy]:
    """Run the proxy in front of a port of loopback."""
    proxy = Proxy()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await _one(proxy, target, reader, writer)
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _one(proxy: Proxy, target: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request, one answer; who uses the connection again, which nothing forbids, finds that it breaks."""
    request = await _message(reader)
    proxy.asked += 1
    fault = proxy.faults.pop(0) if proxy.faults else None
    if fault == "refuse":
        return
    if request.split(b" ", 2)[1].decode().startswith(proxy.hidden):
        writer.write(b"HTTP/1.1 404 NOT FOUND\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")
        await writer.drain()
        return
    if fault == "error":
        writer.write(b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\nconnection: close\r\n\r\noops")
        await writer.drain()
        return
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", target)
    try:
        inner_writer.write(request)
        await inner_writer.drain()
        proxy.reached[request.split(b" ", 2)[1].decode()] += 1
        answer = await _message(inner_reader)
    finally:
        inner_writer.close()
    if fault == "hang":
        await reader.read()  # until the client gives up
        return
    if fault == "lose":
        return
    head, blank, body = answer.partition(b"\r\n\r\n")
    if fault == "garbage":
        answer = head + blank + b"\xff" * len(body)
    writer.write(answer[: len(head) + 4 + len(body) // 2] if fault == "truncate" else answer)
    await writer.drain()
    if fault != "truncate":
        await reader.read(1)


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    return head + (await reader.readexactly(int(length[1])) if length else b"")
