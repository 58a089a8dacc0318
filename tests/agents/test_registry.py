from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.acting import INSTRUCTION, SCREEN, observed
from trueline.actions import Done
from trueline.agents import AgentContext, find_agent
from trueline.agents.types import close_agent
from trueline.errors import InputError
from trueline.records.proposal import Proposal

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def proposes(name: str, **options: JsonValue) -> str | None:
    agent = find_agent(name, options).make()

    async def main() -> str | None:
        await agent.reset(AgentContext(INSTRUCTION, SCREEN))
        return (await agent.propose(observed(), ())).thought

    return asyncio.run(main())


def test_an_agent_by_import_path_with_its_options() -> None:
    assert proposes("own:Good") == f"hello: {INSTRUCTION}"
    assert proposes("own:Good", greeting="hi") == f"hi: {INSTRUCTION}"
    assert proposes("own:make_good") == f"made: {INSTRUCTION}"
    found = find_agent("own:Good", {"greeting": "hi"})
    assert (found.name, found.options, found.revises) == ("own:Good", {"greeting": "hi"}, "native")


def test_each_made_agent_is_another() -> None:
    found = find_agent("own:Good")
    assert found.make() is not found.make()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "unknown agent 'nothing'; choose one of claude, comply, fail, hijacked, noop, openai, oracle"),
        ("evil\x1b[31m", r"\\x1b"),
        ("own:", "package.module:Class"),
        (":Good", "package.module:Class"),
        (
            "no_such_module:Good",
            r"no module 'no_such_module'; looked in the current folder \(/.*\) and the packages of /",
        ),
        ("no_such_file.py:Good", r"no_such_file.py: there is no such file \(looked for /.*/no_such_file.py\)"),
        ("own:Missing", "own has no 'Missing'"),
        ("own:Good.inner", "has no 'inner'"),
        ("own:NoRevise", "no method revise"),
        ("own:NotAsync", "revise must be async"),
        ("own:NUMBER", "must be a class, a function that makes an agent, or an AgentKind"),
        ("own:make_nothing", "no method reset"),
        ("own:NoWants", "set its attribute wants"),
        ("own:OddWants", "must be an ObservationSpec"),
        ("raising:Good", "cannot be imported: ZeroDivisionError"),
        ("importing:Good", "imports 'missing_dependency', which is not installed"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raising.py").write_text("1 / 0\n")
    (tmp_path / "importing.py").write_text("import missing_dependency\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=words) as raised:
        find_agent(name).make()
    assert "\n" not in str(raised.value)
    assert "\x1b" not in str(raised.value)


SAVER = """
from dataclasses import dataclass
from helper_beside import WANTS

@dataclass
class Saver:
    key: "str" = "s"
    wants = WANTS

    async def reset(self, ctx): ...
    async def propose(self, obs, last): ...
    async def revise(self, rejected, feedback): ...
"""
HELPER = "from trueline.records import ObservationSpec\nWANTS = ObservationSpec(tree=True)\n"
IN_A_PROCESS = "import sys; from trueline.agents import find_agent; find_agent(sys.argv[1]).make(); print('made')"


@pytest.fixture
def saver(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    for folder in (tmp_path, tmp_path / "own"):
        # Named like an installed package, like a module of Python's own, and like nothing else.
        for name in ("numpy", "random", "my_agents"):
            (folder / f"{name}.py").write_text(SAVER)
        (folder / "helper_beside.py").write_text(HELPER)
    (tmp_path / "lzma.py").write_text("raise SystemExit('a file that happens to lie here was run')\n")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    ["my_agents:Saver", "my_agents.py:Saver", "./my_agents.py:Saver", "own/my_agents.py:Saver", "random.py:Saver"],
)
def test_an_agent_in_the_current_folder_is_found_as_the_installed_program_finds_it(saver: Path, name: str) -> None:
    # `-P` is how a program in `bin` starts: without the current folder among the places to import from.
    done = subprocess.run(
        [sys.executable, "-P", "-c", IN_A_PROCESS, name], cwd=saver, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("made\n", "")


def test_an_osworld_agent_in_a_file_is_played(saver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (saver / "own" / "seer.py").write_text(
        "import helper_beside\nclass Seer:\n    def predict(self, instruction, obs): return 'done', ['DONE']\n"
    )
    monkeypatch.chdir(saver)
    agent = find_agent("own/seer.py:Seer").make()

    async def play() -> Proposal:
        await agent.reset(AgentContext(INSTRUCTION, SCREEN))
        try:
            return await agent.propose(observed(), ())
        finally:
            await close_agent(agent)

    assert asyncio.run(play()).actions == (Done(raw="DONE"),)


def test_options_that_a_class_does_not_take() -> None:
    with pytest.raises(InputError, match="wings"):
        find_agent("own:Good", {"wings": 2}).make()


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("prompt", {"observation_type": "smell"}, "agent prompt: option observation_type"),
        ("prompt", {"observation_type": "som", "action_space": "computer_13"}, "som needs action_space pyautogui"),
        ("prompt", {"max_trajectory_length": -1}, "option max_trajectory_length"),
        ("prompt", {"wings": 2}, "unknown option 'wings'; it takes observation_type"),
        ("claude", {"tool": "computer"}, "option tool"),
        ("openai", {"safety_checks": "silently"}, "option safety_checks"),
    ],
)
def test_wrong_options_of_our_own_agents(name: str, options: dict[str, JsonValue], words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_agent(name, options)


def test_entry_points_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[trueline.agents]\npolite = own:Good\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert proposes("polite", greeting="good day") == f"good day: {INSTRUCTION}"
    with pytest.raises(InputError, match="polite"):
        find_agent("nothing")


def test_what_applies_is_there_to_be_recorded() -> None:
    found = find_agent("prompt", {"observation_type": "screenshot"})
    assert found.needs_model
    assert found.options["observation_type"] == "screenshot"
    assert found.options["max_trajectory_length"] == 3
    assert found.options["a11y_tree_max_tokens"] == 10_000
    assert {"agents/role.v1", "agents/sees.screenshot.v1", "agents/acts.pyautogui.v1"} <= found.prompts.keys()
    assert all(len(digest) == 64 for digest in found.prompts.values())
    assert found.prompts != find_agent("prompt", {"action_space": "computer_13"}).prompts


def test_an_agent_without_its_model_says_so() -> None:
    agent = find_agent("claude").make()
    with pytest.raises(InputError, match="--model"):
        asyncio.run(agent.reset(AgentContext(INSTRUCTION, SCREEN)))


@pytest.mark.parametrize("name", ["prompt", "claude"])
def test_an_agent_without_a_task_says_so(name: str) -> None:
    agent = find_agent(name).make()
    with pytest.raises(InputError, match="reset"):
        asyncio.run(agent.propose(observed(), ()))
