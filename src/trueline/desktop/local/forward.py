"""A port of the host's loopback that leads to a port inside, for programs that want an address (a DevTools client)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from trueline.desktop.local.sandbox import Sandbox
from trueline.desktop.types import DesktopError

_PIECE = 1 << 16


@asynccontextmanager
async def forward(sandbox: Sandbox, port: int) -> AsyncGenerator[int]:
    """Open a free port on 127.0.0.1 while the block runs; any program of this machine can then reach the one inside."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(DesktopError, ConnectionError):
                sock = await sandbox.connect(port=port)
                inner_reader, inner_writer = await asyncio.open_connection(sock=sock)
                await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry bytes one way until their end, and pass the end on."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
