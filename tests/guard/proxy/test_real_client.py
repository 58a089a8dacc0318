"""OSWorld's own package through the proxy: its environment and its controller, unchanged, with the shipped rules."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from support.fault_proxy import faulty

PYTHON = Path(__file__).resolve().parents[3] / ".venv-osworld" / "bin" / "python"
DRIVER = Path(__file__).with_name("osworld_agent.py")

pytestmark = pytest.mark.full


@contextmanager
def program(*words: str) -> Generator[tuple[int, str]]:
    """Run one of our servers; give its port and its token."""
    command = [sys.executable, "-m", "trueline", *words, "--port", "0", "--no-token", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = json.loads(server.stdout.readline())
        yield int(said["url"].rpartition(":")[2]), said["token"]
        server.terminate()
        assert server.wait(60) == 0


@pytest.fixture(scope="module")
def machine() -> Iterator[int]:
    with program("desktop", "serve", "--size", "1024x768") as (port, _):
        yield port


async def drive(part: str, port: int, token: str, folder: Path) -> Any:
    assert PYTHON.exists(), f"{PYTHON} is missing: ./scripts/setup full installs OSWorld's package there"
    client = await asyncio.create_subprocess_exec(
        PYTHON, DRIVER, part, str(port), token, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    async with asyncio.timeout(240):
        out, err = await client.communicate()
    assert client.returncode == 0, err.decode()[-3000:]
    return json.loads(out.splitlines()[-1])


def test_an_episode_is_guarded_and_scored(machine: int, tmp_path: Path) -> None:
    upstream = f"127.0.0.1:{machine}"
    with program("guard", "proxy", "--upstream", upstream, "--result-dir", str(tmp_path / "results")) as (port, token):
        seen = asyncio.run(drive("episode", port, token, tmp_path))
    assert seen["before"]["returncode"] == 1 and "no session has begun" in seen["before"]["error"]
    assert seen["where"] == [512, 384]
    for blocked in (seen["forbidden"], seen["command"]):
        assert (blocked["status"], blocked["returncode"]) == ("success", 1)
        assert blocked["error"].startswith("Blocked by the guard (misaligned)")
    assert "closed while a session is under way" in seen["script"]["error"]
    assert [child["name"] for child in seen["still"]["children"]] == ["letter.txt"]
    assert seen["score"] == 1
    lines = [json.loads(line) for line in (tmp_path / "results" / "guard_proxy.jsonl").read_text().splitlines()]
    assert [line["allowed"] for line in lines] == [True, True, True, False, False]


def test_an_action_whose_answer_is_lost_runs_once(machine: int, tmp_path: Path) -> None:
    async def work(port: int, token: str) -> None:
        async with faulty(port) as door:
            door.faults = ["lose"]
            seen = await drive("retry", door.port, token, tmp_path)
            assert (seen["answer"]["returncode"], door.reached["/execute"]) == (0, 2)
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"http://127.0.0.1:{machine}/file", data={"file_path": "/home/user/runs"}) as file,
        ):
            assert await file.text() == "x"

    wanted = ("--instruction", "Write an x into the file runs.")
    with program("guard", "proxy", "--upstream", f"127.0.0.1:{machine}", *wanted) as (port, token):
        asyncio.run(work(port, token))
