"""All attempts on our servers: nothing runs, nothing of the host is told, and the servers go on."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from guard.proxy.test_proxy import TOKEN as PROXY_TOKEN
from guard.proxy.test_proxy import proxied
from support.desktop_service import SMALL, served
from support.desktop_service import TOKEN as DESKTOP_TOKEN
from support.machine import need_machine
from support.server_attempts import BEARER, Attempt, Server, attempts, raw
from support.serving import TOKEN as GUARD_TOKEN
from support.serving import running
from trueline.desktop.local import LocalDesktop
from trueline.desktop.serve.settings import ServeSettings
from trueline.guard.proxy import ProxySettings
from trueline.guard.serve import GuardServeSettings as GuardSettings

SECRET = b"a line that only the host knows"
PATIENCE = ServeSettings(peer_seconds=2, body_seconds=2)
"""For requests that never end."""
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
TOKENS: dict[Server, str] = {"desktop": DESKTOP_TOKEN, "open": "", "guard": GUARD_TOKEN, "proxy": PROXY_TOKEN}


async def send(port: int, request: bytes) -> bytes:
    """Send bytes and read until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = bytearray()
    try:
        writer.write(request)
        await writer.drain()
        async with asyncio.timeout(30):
            while piece := await reader.read(1 << 16):
                answer += piece
    except ConnectionError:
        pass  # hung up in the middle
    finally:
        writer.close()
    return bytes(answer)


@asynccontextmanager
async def servers() -> AsyncGenerator[tuple[LocalDesktop, dict[Server, int]]]:
    """All four kinds around one desktop."""
    async with AsyncExitStack() as stack:
        desktop = await stack.enter_async_context(LocalDesktop(SMALL))
        service = await stack.enter_async_context(served(desktop, settings=PATIENCE))
        without_token = await stack.enter_async_context(served(desktop, token=None, settings=PATIENCE))
        guard = await stack.enter_async_context(running(settings=GuardSettings(peer_seconds=2, body_seconds=2)))
        proxy, _ = await stack.enter_async_context(
            proxied(service, settings=ProxySettings(peer_seconds=2, body_seconds=2))
        )
        assert (await proxy.begin()).status == 200
        guard_port = int(guard.url.rpartition(":")[2])
        yield (
            desktop,
            {
                "desktop": service.port,
                "open": without_token.port,
                "guard": guard_port,
                "proxy": proxy.port,
            },
        )


async def play(chosen: list[Attempt]) -> list[str]:
    """Make the attempts, and say which came to something."""
    wrong: list[str] = []
    async with servers() as (desktop, ports):
        for attempt in chosen:
            token = TOKENS[attempt.server]
            answer = await send(ports[attempt.server], attempt.request.replace(BEARER.encode(), token.encode()))
            statuses = [int(status) for status in STATUS.findall(answer)]
            name = f"{attempt.category}, {attempt.name}: {statuses}"
            if any(status not in attempt.allowed for status in statuses):
                wrong.append(name)
            if SECRET in answer or (token and token.encode() in answer):
                wrong.append(f"{name} tells a secret")
            if (await desktop.run(("test", "-e", "/home/user/owned"))).returncode == 0:
                wrong.append(f"{name} ran")
                await desktop.run(("rm", "-f", "/home/user/owned"))
        for server, port in ports.items():
            request = raw(f"GET {'/metrics' if server == 'guard' else '/platform'} HTTP/1.1", token=server != "open")
            answer = await send(port, request.replace(BEARER.encode(), TOKENS[server].encode()))
            if not answer.startswith(b"HTTP/1.1 200"):
                wrong.append(f"{server} does not answer any more")
    return wrong


def host_file(folder: Path) -> Path:
    file = folder / "host.txt"
    file.write_bytes(SECRET)
    for place in (folder, *folder.parents[:2], file):
        place.chmod(0o755 if place.is_dir() else 0o644)
    return file


@pytest.mark.full
def test_one_attempt_of_each_category(tmp_path: Path) -> None:
    need_machine()
    first: dict[str, Attempt] = {}
    for attempt in attempts(str(host_file(tmp_path))):
        first.setdefault(attempt.category, attempt)
    assert asyncio.run(play(list(first.values()))) == []


@pytest.mark.proof
def test_every_attempt_on_the_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_machine()
    monkeypatch.setenv("TRUELINE_TESTS_SECRET", SECRET.decode())
    file = host_file(tmp_path)
    every = attempts(str(file))
    counted = Counter(attempt.category for attempt in every)
    print(f"{len(every)} attempts: " + ", ".join(f"{category} {count}" for category, count in counted.items()))
    assert len(every) >= 90
    assert asyncio.run(play(every)) == []
    assert file.read_bytes() == SECRET
