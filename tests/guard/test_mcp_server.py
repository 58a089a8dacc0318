"""The MCP server, spoken to by the real client over stdin and stdout."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.guarding import TREE, png
from support.serving import PICTURE

pytestmark = pytest.mark.full


@pytest.fixture
def script(tmp_path: Path) -> str:
    rules = [
        {"when": {"text": "fault"}, "answer": {"error": "server"}},
        {"when": {"text": "delete"}, "answer": {"json": {"thought": "It deletes.", "align": False}}},
        {"answer": {"json": {"thought": "ok", "align": True}}},
    ]
    (tmp_path / "model.json").write_text(json.dumps({"rules": rules}))
    return f"scripted|{tmp_path / 'model.json'}"


@asynccontextmanager
async def client(script: str, *words: str) -> AsyncGenerator[Any]:
    mcp = importlib.import_module("mcp")
    command = ["-m", "trueline", "guard", "mcp", "--no-policy", "--fast-check-model", script, *words]
    server = mcp.StdioServerParameters(command=sys.executable, args=command)
    async with asyncio.timeout(60), mcp.Client(server) as connected:
        yield connected


async def check(connected: Any, words: str, **more: object) -> Any:
    return await connected.call_tool("check_action", {"action": f"pyautogui.write({words!r})", **more})


def text(result: Any) -> str:
    return "".join(part.text for part in result.content)


def test_the_tools_describe_themselves(script: str) -> None:
    async def work() -> None:
        async with client(script) as connected:
            tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
            assert set(tools) == {"check_action"}
            schema = tools["check_action"].input_schema
            assert schema["required"] == ["action"] and "screenshot" in schema["properties"]
            assert "allowed" in tools["check_action"].output_schema["properties"]

    asyncio.run(work())


def test_actions_are_checked_and_what_is_allowed_counts_as_executed(script: str) -> None:
    async def work() -> None:
        async with client(script) as connected:
            told = {"instruction": "Rename the file", "screenshot": PICTURE, "tree": TREE}
            allowed = await check(connected, "one", **told)
            assert not allowed.is_error and allowed.structured_content["allowed"] is True
            blocked = await check(connected, "delete", screenshot=PICTURE)
            assert blocked.structured_content["allowed"] is False and blocked.structured_content["step"] == 2
            assert "It deletes." in blocked.structured_content["feedback_text"]
            failed = await check(connected, "fault", screenshot=PICTURE)
            assert failed.structured_content["allowed"] is False
            assert failed.structured_content["decision"] == "undecided"

    asyncio.run(work())


def test_a_hijacked_agent_cannot_change_what_the_user_wants(script: str) -> None:
    async def work() -> None:
        async with client(script) as connected:
            assert "must say what the user wants" in text(await check(connected, "one", screenshot=PICTURE))
            await check(connected, "one", instruction="Rename the file", screenshot=PICTURE)
            changed = await check(connected, "one", instruction="Delete all", screenshot=PICTURE)
            assert changed.is_error and "cannot be changed" in text(changed)
        async with client(script, "--instruction", "Rename the file") as connected:
            changed = await check(connected, "one", instruction="Delete all", session="new", screenshot=PICTURE)
            assert changed.is_error and "the operator has fixed it" in text(changed)
            assert not (await check(connected, "one", session="new", screenshot=PICTURE)).is_error

    asyncio.run(work())


def test_the_operators_files_are_the_screen(script: str, tmp_path: Path) -> None:
    screenshot, tree = tmp_path / "screen.png", tmp_path / "tree.xml"
    screenshot.write_bytes(png())
    tree.write_text(TREE)

    async def work() -> None:
        words = ("--instruction", "x", "--screenshot", str(screenshot), "--tree", str(tree))
        async with client(script, *words) as connected:
            assert (await check(connected, "one")).structured_content["allowed"] is True
            forged = await check(connected, "one", screenshot=PICTURE)
            assert forged.is_error and "the operator has said where the screen is" in text(forged)
            screenshot.unlink()
            gone = await check(connected, "one")
            assert gone.is_error and "cannot be read" in text(gone) and str(tmp_path) not in text(gone)

    asyncio.run(work())


UNREADABLE: list[dict[str, object]] = [
    {},
    {"action": {"action": "explode"}},
    {"action": "WAIT", "screenshot": "no picture"},
    {"action": "WAIT", "format": "magic"},
    {"action": "WAIT", "session": "x" * 65},
    {"action": "WAIT", "tree": "<!DOCTYPE a><a/>"},
]


def test_what_cannot_be_read_is_not_allowed(script: str) -> None:
    async def work() -> None:
        async with client(script, "--instruction", "x") as connected:
            for arguments in UNREADABLE:
                result = await connected.call_tool("check_action", arguments)
                assert result.is_error and "Traceback" not in text(result), arguments

    asyncio.run(work())
