"""An agent of another package says what applies to it, and is treated like our own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.packages import install
from support.small_suite import write_suite
from trueline.errors import InputError, RequestError
from trueline.records import Setting
from trueline.runs.compatible_defaults import fill_defaults
from trueline.runs.prepare import open_run
from trueline.runs.request import RunRequest
from trueline.runs.request_file import make_request

CODE = """
from trueline.agents import AgentKind, AgentMaker
from trueline.agents.native import ClaudeOptions
from trueline.agents.prompt import PromptAgent, PromptOptions
from trueline.records.base import Record

class Named(Record):
    path: str = ""

def opens(name):
    asks = name != "played"
    return lambda options, _: AgentMaker(name, PromptAgent, options.model_dump(mode="json"), needs_model=asks)

FIELDS = ("observation_type", "max_trajectory_length")
TOOL = AgentKind(ClaudeOptions, opens("tool"), asks="computer_tool", run_fields=("client_password", "safety_checks"))
WORDS = AgentKind(PromptOptions, opens("words"), asks="messages", run_fields=FIELDS)
PLAYED = AgentKind(Named, opens("played"), asks="nothing", argument="path")
MISSPELT = AgentKind(PromptOptions, opens("misspelt"), run_fields=("observation_tpye",))
"""
POINTS = {name: f"kinds_of_others:{name.upper()}" for name in ("tool", "words", "played", "misspelt")}


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path / "site", "kinds-of-others", {"trueline.agents": POINTS}, {"kinds_of_others.py": CODE})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield
    sys.modules.pop("kinds_of_others", None)


def setting(folder: Path, **fields: Any) -> Setting:
    request = RunRequest(suite=str(write_suite(folder / "suite", "t0")), result_dir=folder / "results", **fields)

    async def opened() -> Setting:
        async with open_run(request, dry=True) as run:
            return run.setting

    return asyncio.run(opened())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"agent": "tool", "action_space": "pyautogui"},
            "`action_space`: does not apply to `agent` tool, which uses its",
        ),
        ({"agent": "tool", "observation_type": "som"}, "`observation_type` som: `agent` tool sees screenshots only"),
        ({"agent": "played", "model": "m"}, "`model`: `agent` played is simulated and calls no model; leave it out"),
        ({"agent": "played:x", "stop_token": ["a"]}, "`stop_token`: `agent` played is simulated and calls no model"),
    ],
)
def test_fields_that_do_not_apply_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as error:
        make_request(fields)
    assert message in str(error.value)


def test_fields_that_do_not_apply_are_refused_for_an_import_path_when_the_run_opens(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="`action_space`: does not apply to `agent` kinds_of_others:TOOL"):
        setting(tmp_path, agent="kinds_of_others:TOOL", model="openai|gpt-5", action_space="pyautogui")


def test_a_run_sets_the_options_that_a_kind_takes_from_it(tmp_path: Path) -> None:
    words = setting(tmp_path / "1", agent="words", model="openai|gpt-4o", max_trajectory_length=7)
    assert words.agent_options["max_trajectory_length"] == 7
    assert words.agent_options["observation_type"] == "a11y_tree"
    assert words.agent_options["client_password"] == "password"  # its own default
    tool = setting(tmp_path / "2", agent="tool", model="openai|gpt-5", guard="policy")
    assert (tool.observation_type, tool.agent_options["safety_checks"]) == ("screenshot", "guard")
    assert setting(tmp_path / "3", agent="tool", model="openai|gpt-5").agent_options["safety_checks"] == "stop"
    given = {"max_trajectory_length": 2}
    words = setting(tmp_path / "4", agent="words", model="openai|gpt-4o", max_trajectory_length=7, agent_options=given)
    assert words.agent_options["max_trajectory_length"] == 2


def test_sampling_parameters_that_the_model_does_not_take_are_not_sent(tmp_path: Path) -> None:
    ours = setting(tmp_path / "1", agent="prompt", model="openai|o3").sampling
    assert setting(tmp_path / "2", agent="words", model="openai|o3").sampling == ours
    with pytest.raises(RequestError, match="`stop_token`: `agent` tool calls tools"):
        setting(tmp_path / "3", agent="tool", model="openai|gpt-5", stop_token=("a",))


def test_a_system_has_a_default_model_for_agents_that_take_any(tmp_path: Path) -> None:
    models = {
        agent: fill_defaults(RunRequest(agent=agent, like="osharm")).request.model
        for agent in ("words", "tool", "played")
    }
    assert models == {"words": "gpt-4o", "tool": None, "played": None}


def test_a_kind_names_fields_that_a_run_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="agent misspelt: run_fields: a run has no field 'observation_tpye'"):
        setting(tmp_path, agent="misspelt", model="openai|gpt-4o")
