"""`trueline guard proxy` as a program: its first line, its token, its end, wrong flags."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from trueline.cli import main
from trueline.serving import Listener

VARIABLE = "TRUELINE_PROXY_TOKEN"


@pytest.fixture
def nobody() -> str:
    """An address at which nobody answers."""
    taken = Listener.open()
    port = taken.socket.getsockname()[1]
    taken.socket.close()
    return f"127.0.0.1:{port}"


async def start(*words: str, token: str | None = None) -> tuple[asyncio.subprocess.Process, str]:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "trueline", "guard", "proxy", "--port", "0", *words,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | ({VARIABLE: token} if token else {}),
    )  # fmt: skip
    assert process.stdout
    return process, (await asyncio.wait_for(process.stdout.readline(), 60)).decode()


async def session(url: str, token: str | None) -> tuple[int, str]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with aiohttp.ClientSession() as http, http.get(f"{url}/trueline/session", headers=headers) as response:
        return response.status, await response.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_a_signal(nobody: str, number: signal.Signals) -> None:
    async def work() -> None:
        process, line = await start("--upstream", nobody)
        said = re.fullmatch(r"url: (http://127\.0\.0\.1:\d+) token: ([\w-]{43})\n", line)
        assert said, line
        assert await session(said[1], said[2]) == (200, '{"session":null}')
        assert (await session(said[1], None))[0] == 401
        process.send_signal(number)
        out, err = await asyncio.wait_for(process.communicate(), 30)
        assert (process.returncode, out, err) == (0, b"", b"")

    asyncio.run(work())


def test_a_given_token_is_not_printed_and_dangerous_settings_are_said(nobody: str) -> None:
    secret = "a-token-that-is-given-0123"

    async def work() -> None:
        words = ("--upstream", nobody, "--no-token", "--json", "--host", "0.0.0.0", "--without-session", "pass")
        process, line = await start(*words, "--guard-on-error", "allow", token=secret)
        said = json.loads(line)
        assert said["token"] is None
        url = said["url"].replace("0.0.0.0", "127.0.0.1")
        assert ((await session(url, secret))[0], (await session(url, None))[0]) == (200, 401)
        process.terminate()
        _, err = await process.communicate()
        for words in ("reachable from other machines", "undecided actions run", "while there is no session"):
            assert words in err.decode()
        assert secret not in line + err.decode()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--upstream", "not an address"], "not an address such as"),
        (["--upstream", "x:1:2"], "expected one port or four"),
        (["--upstream", "x", "--setup_first"], "--setup_first requires --instruction"),
        (["--upstream", "x", "--instruction", " "], "--instruction: must not be empty"),
        (["--upstream", "x", "--port", "70000"], "must be between 0 and 65535"),
        (["--upstream", "x", "--no-policy"], "no stage is left to judge"),
        (["--upstream", "x", "--result-dir", "/proc/nowhere"], "--result_dir /proc/nowhere: cannot be written"),
        ([], "--upstream"),
    ],
)
def test_wrong_flags_give_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "proxy", "--port", "0", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1


def test_a_weak_token(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(VARIABLE, "short")
    assert main(["guard", "proxy", "--port", "0", "--upstream", "x"]) == 2
    assert "at least 16" in capsys.readouterr().err


def test_a_session_needs_the_machine(nobody: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--upstream", nobody, "--instruction", "Rename the file", "--result-dir", str(tmp_path)]
    assert main(["guard", "proxy", "--port", "0", *words]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "cannot be reached" in err and err.count("\n") == 1
