"""The agent of docs/how-to/extend.md works by file and as an entry point of an installed package."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.acting import INSTRUCTION, SCREEN, observed
from support.extend_page import blocks, section
from trueline.actions import Done, Hotkey
from trueline.agents import AgentContext, AgentMaker, find_agent
from trueline.cli import main
from trueline.errors import InputError
from trueline.records.verdict import Feedback

PAGE = section("Agent")
MODULES = ("my_agents", "saver_kind")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's files as an installed package, and the current folder."""
    files = {name.removesuffix(".py"): code for language, name, code in blocks(PAGE) if language == "python"}
    assert files.keys() == set(MODULES)
    for name, code in files.items():
        (tmp_path / f"{name}.py").write_text(code)
    (toml,) = (text for language, _, text in blocks(PAGE) if language == "toml")
    ((group, points),) = tomllib.loads(toml)["project"]["entry-points"].items()
    info = tmp_path / "saver-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: saver\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {target}" for name, target in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in MODULES:
        sys.modules.pop(name, None)


def plays(maker: AgentMaker) -> list[object]:
    agent = maker.make()

    async def play() -> list[object]:
        await agent.reset(AgentContext(INSTRUCTION, SCREEN))
        first = await agent.propose(observed(), ())
        again = await agent.revise(first, Feedback(wrong="not that"))
        return [first.thought, *first.actions, again.thought, *again.actions]

    return asyncio.run(play())


@pytest.mark.parametrize("name", ["my_agents.py:Saver", "my_agents:Saver", "saver"])
def test_the_agent_of_the_page(package: Path, name: str) -> None:
    maker = find_agent(name, {"key": "q"})
    assert (maker.name, maker.options) == (name, {"key": "q"})
    assert plays(maker) == [f"for: {INSTRUCTION}", Hotkey(keys=("ctrl", "q")), "not that", Done()]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"kez": "q"}, "agent saver: unknown option 'kez'; it takes key"),
        ({"key": 3}, "agent saver: option key: "),
    ],
)
def test_options_of_a_kind_are_checked(package: Path, options: dict[str, JsonValue], line: str) -> None:
    with pytest.raises(InputError, match=line):
        find_agent("saver", options)


def test_the_command_of_the_page(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (words,) = re.findall(r"```console\n\$ trueline (run .*?)\n", PAGE)
    assert main([*words.split(), "--dry_run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
