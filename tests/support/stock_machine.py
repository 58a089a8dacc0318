"""A server that speaks as much of OSWorld's protocol as a connection and commands need, with no desktop behind it.

It stands for a machine that is not ours: it knows nothing below `/trueline`, and takes down every command it is sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass
class StockMachine:
    """Where it listens, and what was asked of it."""

    port: int = 0
    commands: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    returncode: Callable[[tuple[str, ...]], int] = lambda _: 0

    async def execute(self, request: web.Request) -> web.Response:
        command = tuple((await request.json())["command"])
        self.commands.append(command)
        code = self.returncode(command)
        output = "/home/user" if "$HOME" in command[-1] else ""
        error = "No such schema" if code else ""
        return web.json_response({"status": "success", "output": output, "error": error, "returncode": code})

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        path, file = form["file_path"], form["file_data"]
        assert isinstance(path, str) and isinstance(file, web.FileField)
        self.files[path] = file.file.read()
        return web.Response(text="File Uploaded")


async def _platform(_: web.Request) -> web.Response:
    return web.Response(text="Linux")


async def _size(_: web.Request) -> web.Response:
    return web.json_response({"width": 1920, "height": 1080})


@asynccontextmanager
async def stock_machine() -> AsyncGenerator[StockMachine]:
    """Serve one on loopback while the block runs."""
    machine = StockMachine()
    app = web.Application(client_max_size=64 << 20)
    app.router.add_get("/platform", _platform)
    app.router.add_post("/screen_size", _size)
    app.router.add_post("/execute", machine.execute)
    app.router.add_post("/setup/upload", machine.upload)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        machine.port = runner.addresses[0][1]
        yield machine
    finally:
        await runner.cleanup()
