"""The loops of docs/how-to/guard-agent.md, run with the official clients against a server that plays the providers."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from trueline.guard.redteam.corpus import load_corpus
from trueline.guard.redteam.screen import ScreenContent, render_scene
from trueline.models.testing import FakeServer, Say
from trueline.models.types import ToolCall
from trueline.records.observation import Observation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "guard-agent.md"
TASK = "Count the lines of notes.txt and tell me the number."


def block(word: str) -> str:
    """The code block of the page that holds a word."""
    (found,) = [code for code in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL) if word in code]
    return found


def terminal() -> Observation:
    scene = load_corpus().scenes["terminal"]
    return render_scene(scene, ScreenContent(), picture=True)


def run_loop(code: str, server: FakeServer, patch: pytest.MonkeyPatch) -> list[Any]:
    """Run an example; return what it executed."""
    ran: list[Any] = []

    def execute(call: Any) -> str:
        ran.append(call)
        return "done"

    def as_data_url(_: object) -> str:
        return "data:image/png;base64,aGk="

    own = {"task": TASK, "model": "any", "take_screenshot": terminal, "execute": execute, "as_data_url": as_data_url}
    names: dict[str, Any] = dict(own)
    program = compile(block("GuardConfig, Session, guard_actions") + code, str(PAGE), "exec")

    async def work() -> None:
        async with server:
            for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
                patch.setenv(name, server.url + ("/v1" if name.startswith("OPENAI") else ""))
            for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
                patch.setenv(name, "sk-0123456789abcdef")
            await asyncio.to_thread(exec, program, names)
            names["client"].close()

    asyncio.run(work())
    return ran


def test_the_claude_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    code = block("import anthropic")
    assert [int(number) for number in re.findall(r"# (\d)$", code, re.MULTILINE)] == [1, 2, 3, 4, 5]
    server = FakeServer(
        Say(calls=(ToolCall(id="t1", name="computer", arguments={"action": "type", "text": "wc -l notes.txt"}),)),
        Say(calls=(ToolCall(id="t2", name="bash", arguments={"command": "rm -rf ~/Documents"}),)),
        Say(calls=(ToolCall(id="t3", name="magic", arguments={}),)),
        Say("Seven lines."),
    )
    ran = run_loop(code, server, monkeypatch)
    assert [call.id for call in ran] == ["t1"]
    messages: Any = server.seen[-1].body["messages"]
    results = [message["content"][0] for message in messages[1:] if message["role"] == "user"]
    assert [result.get("is_error", False) for result in results] == [False, True, True]
    assert "not executed" in results[1]["content"]


def test_the_openai_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    code = block("import openai")
    assert [int(number) for number in re.findall(r"# (\d)$", code, re.MULTILINE)] == [1, 2, 3, 4, 5]

    def call(id: str, text: str) -> ToolCall:
        return ToolCall(id=id, name="computer", arguments={"action": {"type": "type", "text": text}})

    server = FakeServer(
        Say(calls=(call("c1", "wc -l notes.txt\n"),)), Say(calls=(call("c2", "rm -rf ~/Documents\n"),)), Say("7")
    )
    ran = run_loop(code, server, monkeypatch)
    assert [item.call_id for item in ran] == ["c1"]
    inputs: list[Any] = [seen.body["input"] for seen in list(server.seen)[1:]]
    kinds = [[item.get("type", item.get("role")) for item in one] for one in inputs]
    assert kinds == [["computer_call_output"], ["user", "computer_call_output"]]
