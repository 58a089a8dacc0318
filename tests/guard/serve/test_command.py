"""`trueline guard serve` as a program: token, address, signals, wrong flags."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from support.serving import PICTURE
from trueline.cli import main

SLOW = 1.0


@pytest.fixture
def script(tmp_path: Path) -> str:
    """A model that clears all but what it is told to, and takes its time for some."""
    rules = [
        {"when": {"text": "slow"}, "answer": {"json": {"thought": "ok", "align": True}, "delay_s": SLOW}},
        {"when": {"text": "wrong"}, "answer": {"json": {"thought": "It is wrong.", "align": False}}},
        {"answer": {"json": {"thought": "ok", "align": True}}},
    ]
    (tmp_path / "model.json").write_text(json.dumps({"rules": rules}))
    return f"scripted|{tmp_path / 'model.json'}"


@asynccontextmanager
async def program(*words: str) -> AsyncGenerator[tuple[asyncio.subprocess.Process, str, str]]:
    """Run the program; give its process, the token and the address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "trueline", "guard", "serve", "--port", "0", *words,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout and process.stderr
    try:
        token = (await process.stdout.readline()).decode().removeprefix("token: ").strip()
        url = "" if "--json" in words else (await process.stdout.readline()).decode().removeprefix("url: ").strip()
        yield process, token, url
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def call(http: aiohttp.ClientSession, url: str, token: str, path: str, document: object) -> tuple[int, Any]:
    headers = {"authorization": f"Bearer {token}"}
    async with http.post(url + path, json=document, headers=headers) as response:
        return response.status, await response.json()


async def metrics(http: aiohttp.ClientSession, url: str, token: str) -> str:
    async with http.get(url + "/metrics", headers={"authorization": f"Bearer {token}"}) as response:
        return await response.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.full)])
def test_it_serves_and_a_signal_lets_it_finish_what_is_under_way(script: str, number: signal.Signals) -> None:
    async def work() -> None:
        async with (
            asyncio.timeout(60),
            program("--no-policy", "--fast-check-model", script, "--rate", "1e6") as (process, token, url),
        ):
            assert re.fullmatch(r"[\w-]{43}", token) and url.startswith("http://127.0.0.1:")
            async with aiohttp.ClientSession() as http:
                status, begun = await call(http, url, token, "/v1/sessions", {"instruction": "Rename the file"})
                assert status == 201
                known = {"session": begun["session"], "screenshot": PICTURE}
                status, answer = await call(
                    http, url, token, "/v1/check", {**known, "action": "pyautogui.write('wrong')"}
                )
                assert (status, answer["allowed"], answer["stage"]) == (200, False, "fast_check")
                action = {**known, "action": "pyautogui.write('slow')"}
                checking = asyncio.create_task(call(http, url, token, "/v1/check", action))
                while "trueline_guard_in_flight 2.0" not in await metrics(http, url, token):
                    if checking.done():  # it was over before it was seen: once more
                        checking = asyncio.create_task(call(http, url, token, "/v1/check", action))
                process.send_signal(number)
                status, answer = await checking
                assert (status, answer["allowed"]) == (200, True)
            assert await process.wait() == 0
            assert process.stderr and await process.stderr.read() == b""

    asyncio.run(work())


def test_given_tokens_are_not_printed_and_json_is_one_line(script: str, tmp_path: Path) -> None:
    secret, other = "first-token-0123456789", "second-token-0123456789"
    file = tmp_path / "tokens"
    file.write_text(f"{secret}\n\n{other}\n")
    file.chmod(0o644)

    async def work() -> None:
        async with (
            asyncio.timeout(60),
            program("--no-policy", "--fast-check-model", script, "--token-file", str(file), "--json") as (
                process,
                line,
                _,
            ),
        ):
            said = json.loads(line)
            assert said["token"] is None
            async with aiohttp.ClientSession() as http:
                for token in (secret, other):
                    assert (await call(http, said["url"], token, "/v1/sessions", {"instruction": "x"}))[0] == 201
            process.terminate()
            out, err = await process.communicate()
            assert secret not in (line + out.decode() + err.decode())
            assert "chmod 600" in err.decode()

    asyncio.run(work())


def test_another_address_than_loopback_is_warned_about(script: str) -> None:
    async def work() -> None:
        async with (
            asyncio.timeout(60),
            program("--no-policy", "--fast-check-model", script, "--host", "0.0.0.0", "--guard-on-error", "allow") as (
                process,
                _,
                url,
            ),
        ):
            assert url.startswith("http://0.0.0.0:")
            process.terminate()
            _, err = await process.communicate()
            assert "reachable from other machines" in err.decode() and "lets undecided actions run" in err.decode()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--token", "short"], "token: give one of at least 16"),
        (["--token-file", "nowhere"], "--token-file nowhere: cannot be read"),
        (["--no-policy"], "no stage is left to judge"),
        (["--port", "70000"], "--port 70000: must be between 0 and 65535"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid: unknown host"),
        (["--rate", "0"], "argument --rate: must be greater than 0, not 0"),
        (["--no-policy", "--fast-check-model", "scripted|nowhere.json"], "nowhere.json: the script cannot be read"),
    ],
)
def test_wrong_flags_give_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "serve", "--port", "0", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["guard", "serve", "--port", str(port)]) == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in capsys.readouterr().err
