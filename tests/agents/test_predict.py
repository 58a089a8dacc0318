from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import JsonValue

from support.acting import FEEDBACK, INSTRUCTION, SCREEN, dropped, observed, plain
from trueline.actions import Click, Done, Fail, Point, SafetyCheck, Type, Wait
from trueline.agents import AgentContext, find_agent
from trueline.agents.types import Agent, AgentError, close_agent
from trueline.errors import InputError
from trueline.models import ModelError
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling

HERE = str(Path(__file__).parent)
T = TypeVar("T")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def run(
    name: str, session: Callable[[Agent], Awaitable[T]], sampling: Sampling | None = None, **options: JsonValue
) -> T:
    agent = find_agent(f"predicting:{name}", options, sampling).make()

    async def main() -> T:
        async with asyncio.timeout(60):
            try:
                await agent.reset(AgentContext(INSTRUCTION, SCREEN))
                return await session(agent)
            finally:
                await close_agent(agent)

    return asyncio.run(main())


async def one(agent: Agent) -> Proposal:
    return await agent.propose(observed(), ())


def said(*answer: JsonValue) -> Proposal:
    return run("Said", one, arguments={"answer": list(answer)})


def test_it_is_made_as_osworld_makes_it_and_sees_what_it_asked_for() -> None:
    options: dict[str, JsonValue] = {
        "model": "gpt-4o",
        "observation_type": "screenshot_a11y_tree",
        "arguments": {"extra": "yes"},
    }
    proposal = run("Clicker", one, Sampling(temperature=0.5), **options)
    assert plain(proposal.actions) == [Click(at=Point(10, 20))]
    assert proposal.raw
    assert "('ubuntu', 'gpt-4o', 0.5, 'yes') call 1: " + INSTRUCTION in proposal.raw
    assert "PNG" in proposal.raw
    assert "<desktop-frame" in proposal.raw
    assert proposal.usage is None
    wants = find_agent("predicting:Clicker", options).make().wants
    assert (wants.screenshot, wants.tree) == (True, True)


def test_an_agent_gets_only_what_it_asked_for() -> None:
    proposal = run("Clicker", one, model="m")
    assert proposal.raw
    assert "PNG" in proposal.raw
    assert "desktop-frame" not in proposal.raw


def test_an_agents_module_may_have_any_name(tmp_path: Path) -> None:
    code = "class A:\n    def predict(self, instruction, obs):\n        return '\\ud800', ['DONE']\n"
    (tmp_path / "bridge.py").write_text(code)
    agent = find_agent("bridge:A", {"python": sys.executable, "path": [str(tmp_path)]}).make()

    async def main() -> Proposal:
        async with asyncio.timeout(60):
            try:
                await agent.reset(AgentContext(INSTRUCTION, SCREEN))
                return await agent.propose(observed(), ())
            finally:
                await close_agent(agent)

    proposal = asyncio.run(main())
    assert (plain(proposal.actions), proposal.raw) == ([Done()], "\ufffd")


def test_revising_is_emulated_and_says_so() -> None:
    async def session(agent: Agent) -> Proposal:
        return await agent.revise(await agent.propose(observed(), ()), FEEDBACK)

    proposal = run("Clicker", session, model="m")
    assert "revise=emulated" in proposal.notes
    assert proposal.raw
    for words in (INSTRUCTION, "It deletes a file.", "Rename it."):
        assert words in proposal.raw
    assert find_agent("predicting:Clicker").revises == "emulated"


def test_the_instruction_is_whole_again_in_the_next_step_and_after_a_reset() -> None:
    async def session(agent: Agent) -> tuple[str | None, str | None]:
        await agent.revise(await agent.propose(observed(), ()), FEEDBACK)
        third = await agent.propose(observed(), ())
        await agent.reset(AgentContext("Another task", SCREEN, plan="Begin at the end."))
        return third.raw, (await agent.propose(observed(), ())).raw

    third, again = run("Clicker", session, model="m")
    assert third and again
    assert "call 3" in third
    assert "deletes" not in third
    assert "call 1: Another task\n\nBegin at the end." in again


def test_a_dropped_proposal_is_told_with_the_next_instruction() -> None:
    async def session(agent: Agent) -> tuple[str | None, str | None]:
        first = await agent.propose(observed(), ())
        second = await agent.propose(observed(), dropped(first, "it deletes a file"))
        return second.raw, (await agent.propose(observed(), ())).raw

    second, third = run("Clicker", session, model="m")
    assert second and third
    assert f"{INSTRUCTION}\n\nit deletes a file" in second
    assert "deletes" not in third


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (["DONE"], [Done()]),
        (["pyautogui.write('x')", "WAIT"], [Type(text="x"), Wait()]),
        ([{"action_type": "CLICK", "x": 1, "y": 2}], [Click(at=Point(1, 2))]),
        ([{"action_type": "FAIL"}], [Fail()]),
        ([{"command": "pyautogui.click(1, 2)", "name": "computer"}], [Click(at=Point(1, 2))]),
        ([{"action_space": "pyautogui", "action": "pyautogui.click(1, 2)", "call_id": ""}], [Click(at=Point(1, 2))]),
        ([], []),
        (None, []),
    ],
)
def test_the_shapes_that_osworlds_agents_return(actions: JsonValue, expected: list[object]) -> None:
    proposal = said("I do it", actions)
    assert plain(proposal.actions) == expected
    assert bool(proposal.notes) == (not expected)


def test_a_third_value_and_wrapped_responses_are_understood() -> None:
    usage: JsonValue = {"prompt_tokens": 11, "completion_tokens": 5, "model_time": 0.1}
    proposal = said({"response": "I do it", "model_usage": usage}, ["DONE"], False)
    assert proposal.raw == "I do it"
    assert proposal.usage
    assert (proposal.usage.input_tokens, proposal.usage.output_tokens, proposal.usage.cost) == (11, 5, None)


def test_pending_checks_are_not_acknowledged_in_silence() -> None:
    action: JsonValue = {
        "action_space": "pyautogui",
        "action": "pyautogui.click(1, 2)",
        "pending_checks": [{"id": "sc", "code": "c", "message": "m"}],
    }
    proposal = said("", [action])
    assert proposal.safety_checks == (SafetyCheck("sc", "c", "m"),)
    assert isinstance(proposal.actions[0], Fail)
    let = run("Said", one, arguments={"answer": ["", [action]]}, safety_checks="acknowledge")
    assert plain(let.actions) == [Click(at=Point(1, 2))]
    assert let.safety_checks == proposal.safety_checks


@pytest.mark.parametrize("answer", [["only a response"], [], None, 5, ["", [{"action_type": "FLY"}]], ["", [7]]])
def test_what_is_no_answer_is_an_agent_error(answer: JsonValue) -> None:
    with pytest.raises(AgentError, match=r"predict"):
        run("Said", one, arguments={"answer": answer})


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ("raise", AgentError, "KeyError"),
        ("exit", AgentError, "bye"),
        ("die", AgentError, "exited with code 3: the ship is sinking"),
        ("model", ModelError, "429 too many requests"),
        ("sleep", AgentError, "longer than 1 s"),
    ],
)
def test_failures_of_the_agent_and_of_its_model_are_told_apart(how: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        run("Unwell", one, arguments={"how": how}, timeout=1 if how == "sleep" else 60)
    assert type(raised.value) is error
    assert "\x1b" not in str(raised.value)


def test_after_its_death_it_can_be_reset() -> None:
    async def session(agent: Agent) -> int:
        for _ in range(2):
            with pytest.raises(AgentError, match="sinking"):
                await agent.propose(observed(), ())
            await agent.reset(AgentContext(INSTRUCTION, SCREEN))
        return 2

    assert run("Unwell", session, arguments={"how": "die"}) == 2


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("Clicker", {}, "model"),
        ("Clicker", {"model": "m", "arguments": {"wings": 2}}, "wings"),
        ("Broken", {}, "needs a licence"),
        ("Said", {"model": "m", "arguments": {"answer": None}}, "its constructor has no parameter model"),
        ("Clicker", {"python": "/nowhere/python"}, "cannot start this Python interpreter"),
        ("Clicker", {"wings": 2}, "unknown option 'wings'; it takes python"),
        ("Clicker", {"timeout": 0}, "option timeout"),
    ],
)
def test_what_is_set_wrongly_is_one_clear_line(name: str, options: dict[str, JsonValue], words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        run(name, one, None, **options)
    assert "\n" not in str(raised.value)


def test_what_a_runs_flags_say_stands_below_the_options() -> None:
    unset = dict.fromkeys(("action_space", "max_trajectory_length", "a11y_tree_max_tokens", "client_password"))
    flags: dict[str, JsonValue] = {**unset, "model": "of-the-flag", "observation_type": "a11y_tree", "max_steps": 7}
    found = find_agent("predicting:Clicker", {"max_steps": 3}, run=flags)
    assert (found.own_model, found.calls_model, found.needs_model) == ("of-the-flag", True, False)
    assert (found.options["observation_type"], found.options["max_steps"]) == ("a11y_tree", 3)
    assert find_agent("predicting:Clicker", {"model": "mine"}, run=flags).own_model == "mine"
    # No other kind of agent takes them.
    assert find_agent("noop", run=flags).options == {}
