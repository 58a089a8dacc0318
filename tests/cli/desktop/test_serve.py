"""`trueline desktop serve` as a program: its first line, its token, its end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from support.machine import need_machine
from trueline.cli import main

VARIABLE = "TRUELINE_DESKTOP_TOKEN"


@asynccontextmanager
async def program(
    *words: str, environment: dict[str, str] | None = None
) -> AsyncGenerator[tuple[asyncio.subprocess.Process, str]]:
    """Run the program; give its process and its first line."""
    need_machine()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "trueline", "desktop", "serve", "--port", "0", "--size", "800x600", *words,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**{name: value for name, value in os.environ.items() if name != VARIABLE}, **(environment or {})},
    )  # fmt: skip
    assert process.stdout and process.stderr
    try:
        yield process, (await asyncio.wait_for(process.stdout.readline(), 180)).decode()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def status(url: str, token: str | None) -> int:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with aiohttp.ClientSession() as http, http.get(url + "/screenshot", headers=headers) as response:
        await response.read()
        return response.status


async def break_off(url: str, token: str) -> None:
    """Send a part of a request and hang up."""
    _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    head = f"POST /execute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: 1000\r\n\r\npart"
    writer.write(head.encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_and_a_signal_ends_it_and_the_desktop(number: signal.Signals) -> None:
    async def work() -> None:
        async with program() as (process, line):
            said = re.fullmatch(r"url: (http://127\.0\.0\.1:\d+) token: ([\w-]{43})\n", line)
            assert said, line
            assert await status(said[1], said[2]) == 200
            assert await status(said[1], None) == 401
            await break_off(said[1], said[2])
            below = children(process.pid)
            assert below
            process.send_signal(number)
            out, err = await asyncio.wait_for(process.communicate(), 30)
            assert (process.returncode, out, err) == (0, b"", b"")
            assert not [pid for pid in below if alive(pid)]

    asyncio.run(work())


def test_without_a_token_and_as_json() -> None:
    async def work() -> None:
        async with program("--no-token", "--json") as (process, line):
            said = json.loads(line)
            assert said["token"] is None
            assert await status(said["url"], None) == 200
            process.terminate()
            assert await asyncio.wait_for(process.wait(), 30) == 0

    asyncio.run(work())


def test_a_given_token_is_not_printed_and_other_addresses_are_warned_about() -> None:
    secret = "a-token-that-is-given-0123"

    async def work() -> None:
        async with program("--host", "0.0.0.0", environment={VARIABLE: secret}) as (process, line):
            url = line.split()[1]
            assert "token: (as given)" in line and url.startswith("http://0.0.0.0:")
            assert await status(url.replace("0.0.0.0", "127.0.0.1"), secret) == 200
            process.terminate()
            _, err = await process.communicate()
            assert "reachable from other machines" in err.decode() and secret not in line + err.decode()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "70000"], "--port 70000: must be between 0 and 65535"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid: unknown host"),
        (["--size", "huge"], "must be a size such as"),
        (["--forward", "9222:x"], "must be a port or two ports"),
    ],
)
def test_wrong_flags_give_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["desktop", "serve", "--port", "0", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1


def test_a_token_that_is_too_short(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(VARIABLE, "short")
    assert main(["desktop", "serve", "--port", "0"]) == 2
    assert "at least 16" in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["desktop", "serve", "--port", str(port)]) == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in capsys.readouterr().err
