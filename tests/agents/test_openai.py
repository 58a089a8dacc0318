from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from support.acting import (
    FEEDBACK,
    INSTRUCTION,
    done,
    dropped,
    items,
    meets,
    observed,
    openai_rule,
    plain,
    strict,
    texts,
)
from trueline.actions import (
    Action,
    Click,
    Done,
    Drag,
    Fail,
    Hotkey,
    Key,
    Move,
    Point,
    SafetyCheck,
    Screenshot,
    Scroll,
    Type,
    Wait,
)
from trueline.agents import find_agent
from trueline.agents.types import Agent
from trueline.models import ModelError, ToolCall
from trueline.models.testing import Body, Play, Say, Status
from trueline.models.types import Json
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult

PREVIEW, NEWER = "openai|computer-use-preview", "openai|gpt-5.4"

VOCABULARY: list[tuple[Json, Sequence[Action]]] = [
    ({"type": "click", "button": "left", "x": 3, "y": 4}, [Click(at=Point(3, 4))]),
    ({"type": "click", "button": "right", "x": 3, "y": 4}, [Click(at=Point(3, 4), button="right")]),
    ({"type": "click", "button": "wheel", "x": 3, "y": 4}, [Click(at=Point(3, 4), button="middle")]),
    ({"type": "click", "button": "back", "x": 3, "y": 4}, [Click(at=Point(3, 4), button="back")]),
    ({"type": "click", "button": "forward", "x": 3, "y": 4}, [Click(at=Point(3, 4), button="forward")]),
    ({"type": "double_click", "x": 1919, "y": 1079}, [Click(at=Point(1919, 1079), count=2)]),
    ({"type": "move", "x": 0, "y": 0}, [Move(to=Point(0, 0))]),
    (
        {"type": "drag", "path": [{"x": 1, "y": 1}, {"x": 2, "y": 2}, {"x": 3, "y": 3}]},
        [Drag(start=Point(1, 1), path=(Point(2, 2), Point(3, 3)))],
    ),
    (
        {"type": "scroll", "x": 3, "y": 4, "scroll_x": 0, "scroll_y": 300},
        [Scroll(at=Point(3, 4), dy=300, unit="pixels")],
    ),
    ({"type": "keypress", "keys": ["ENTER"]}, [Key(key="enter")]),
    ({"type": "keypress", "keys": ["CTRL", "S"]}, [Hotkey(keys=("ctrl", "s"))]),
    ({"type": "type", "text": "Grüße"}, [Type(text="Grüße")]),
    ({"type": "wait"}, [Wait()]),
    ({"type": "screenshot"}, [Screenshot()]),
]
CLICK = VOCABULARY[0][0]
CHECK: Json = {"id": "sc_1", "code": "malicious_instructions", "message": "The page wants something else."}


def call(*actions: Json, id: str = "c1", checks: Sequence[Json] = (), several: bool = False) -> ToolCall:
    form: Json = {"actions": list(actions)} if several else {"action": actions[0]}
    return ToolCall(id=id, name="computer", arguments={**form, "pending_safety_checks": list(checks)})


def says(*calls: ToolCall) -> Say:
    return Say("", calls=calls, reasoning="Look first.")


def run(
    session: Callable[[Agent], Awaitable[Proposal]], *plays: Play, spec: str = PREVIEW, **options: str | int
) -> tuple[Proposal, list[Json]]:
    server = strict(openai_rule, plays)
    proposal = meets(session, find_agent("openai", options).make(), server, spec)
    return proposal, [seen.body for seen in server.seen]


async def one(agent: Agent) -> Proposal:
    return await agent.propose(observed(), ())


async def two(agent: Agent) -> Proposal:
    first = await agent.propose(observed(), ())
    return await agent.propose(observed(), done(first))


@pytest.mark.parametrize("spec", [PREVIEW, NEWER])
def test_one_episode_through_the_whole_vocabulary(spec: str) -> None:
    plays = [says(call(action, id=f"c{n}", several=spec == NEWER)) for n, (action, _) in enumerate(VOCABULARY)]
    seen: list[Sequence[Action]] = []

    async def session(agent: Agent) -> Proposal:
        last: tuple[ActionResult, ...] = ()
        for _ in VOCABULARY:
            proposal = await agent.propose(observed(), last)
            seen.append(plain(proposal.actions))
            assert (proposal.thought, proposal.notes) == ("Look first.", ())
            last = done(proposal)
        return await agent.propose(observed(), last)

    end, bodies = run(session, *plays, Say("The file has its name."), spec=spec)
    assert seen == [list(actions) for _, actions in VOCABULARY]
    assert plain(end.actions) == [Done(answer="The file has its name.")]
    (tool,) = items(bodies[0]["tools"])
    assert tool["type"] == ("computer_use_preview" if spec == PREVIEW else "computer")
    if spec == PREVIEW:
        assert (tool["display_width"], tool["display_height"]) == (1920, 1080)
    assert INSTRUCTION in texts(bodies[0]["input"])


def test_several_actions_of_one_call_are_one_proposal() -> None:
    actions = [action for action, _ in VOCABULARY]
    proposal, _ = run(two, says(call(*actions, several=True)), Say("Done."), spec=NEWER)
    assert plain(proposal.actions) == [Done(answer="Done.")]


def test_a_smaller_display_is_scaled_back() -> None:
    agent = find_agent("openai", {"display": [960, 540]}).make()
    proposal = meets(one, agent, strict(openai_rule, [says(call(CLICK))]), PREVIEW)
    assert plain(proposal.actions) == [Click(at=Point(6, 8))]


def test_by_default_a_pending_check_ends_the_episode_unacknowledged() -> None:
    proposal, bodies = run(one, says(call(CLICK, checks=[CHECK])))
    (end,) = proposal.actions
    assert isinstance(end, Fail)
    assert not end.refused
    assert "malicious_instructions" in str(end.reason)
    assert proposal.safety_checks == (SafetyCheck("sc_1", "malicious_instructions", "The page wants something else."),)
    assert len(bodies) == 1


@pytest.mark.parametrize("policy", ["guard", "acknowledge"])
def test_a_check_is_acknowledged_once_its_proposal_was_let_run_and_that_is_recorded(policy: str) -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        assert plain(first.actions) == [Click(at=Point(3, 4))]
        assert [check.id for check in first.safety_checks] == ["sc_1"]
        return await agent.propose(observed(), done(first))

    proposal, bodies = run(session, says(call(CLICK, checks=[CHECK])), Say("Done."), safety_checks=policy)
    outputs = [item for item in items(bodies[1]["input"]) if item.get("type") == "computer_call_output"]
    assert [output["acknowledged_safety_checks"] for output in outputs] == [[CHECK]]
    (note,) = proposal.notes
    assert policy in note
    assert "sc_1 malicious_instructions" in note


@pytest.mark.parametrize("way", ["revise", "skip", "dropped", "other action"])
def test_a_check_of_a_proposal_that_did_not_run_is_never_acknowledged(way: str) -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        if way == "revise":
            return await agent.revise(first, FEEDBACK)
        others = (ActionResult(action=Fail(reason="stopped"), id="1-p1-0"),)
        last = {"skip": (), "dropped": dropped(first, "It deletes a file."), "other action": others}[way]
        return await agent.propose(observed(), last)

    proposal, bodies = run(session, says(call(CLICK, checks=[CHECK])), Say("Done."), safety_checks="guard")
    assert "acknowledged" not in str(bodies[1])
    assert "computer_call" not in str(bodies[1])
    assert proposal.notes == ()
    if way in ("revise", "dropped"):
        assert "It deletes a file." in texts(bodies[1]["input"])


def test_a_check_of_a_call_that_cannot_be_read_is_never_acknowledged() -> None:
    plays = (says(call({"type": "fly"}, checks=[CHECK])), says(call(CLICK, id="c2")))
    proposal, bodies = run(one, *plays, safety_checks="acknowledge")
    assert plain(proposal.actions) == [Click(at=Point(3, 4))]
    assert "acknowledged" not in str(bodies[1])
    assert "fly" in texts(bodies[1]["input"])


def test_feedback_stands_behind_the_screenshot_of_the_rejected_call() -> None:
    async def session(agent: Agent) -> Proposal:
        rejected = await agent.propose(observed(), ())
        return await agent.revise(rejected, FEEDBACK)

    _, bodies = run(session, says(call(CLICK)), Say("Done."))
    kinds = [item.get("type", item.get("role")) for item in items(bodies[1]["input"])]
    assert kinds == ["user", "reasoning", "computer_call", "computer_call_output", "user"]
    assert "It deletes a file." in texts(items(bodies[1]["input"])[-1])


def test_an_action_that_failed_is_told() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first, error="the pointer is stuck"))

    _, bodies = run(session, says(call(CLICK)), Say("Done."))
    assert "the pointer is stuck" in texts(items(bodies[1]["input"])[-1])


def test_a_call_that_cannot_be_read_is_asked_again_and_bounded() -> None:
    async def session(agent: Agent) -> Proposal:
        spent = await agent.propose(observed(), ())
        assert spent.actions == ()
        return await agent.propose(observed(), ())

    bad = [says(call({"type": "fly"}, id=f"c{n}")) for n in range(2)]
    proposal, bodies = run(session, *bad, Say("Done."), format_retries=1)
    assert plain(proposal.actions) == [Done(answer="Done.")]
    assert len(bodies) == 3


@pytest.mark.parametrize(
    ("play", "reason", "refused"),
    [
        (Say("[INFEASIBLE] no printer"), "no printer", False),
        (Say("[REFUSED] harm"), "harm", True),
        (Say("", refusal="I won't."), "the model refused: I won't.", True),
        (Say("", stop="content_filter"), "the provider's content filter stopped the answer", True),
        (
            Status(400, "no", error_code="invalid_prompt"),
            "the provider's content filter stopped the answer: no",
            True,
        ),
    ],
)
def test_ends(play: Play, reason: str, refused: bool) -> None:
    proposal, _ = run(one, play)
    assert plain(proposal.actions) == [Fail(reason=reason, refused=refused)]


def test_an_answer_cut_off_is_not_sent_back() -> None:
    async def session(agent: Agent) -> Proposal:
        spent = await agent.propose(observed(), ())
        assert spent.actions == ()
        return await agent.propose(observed(), ())

    item: Json = {"type": "computer_call", "call_id": "c1", "action": CLICK, "pending_safety_checks": []}
    cut = Body.from_json(
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [item]}
    )
    proposal, _ = run(session, cut, says(call(CLICK, id="c2")))
    assert plain(proposal.actions) == [Click(at=Point(3, 4))]


def test_old_turns_are_dropped_whole() -> None:
    async def session(agent: Agent) -> Proposal:
        proposal = await agent.propose(observed(), ())
        for _ in range(5):
            proposal = await agent.propose(observed(), done(proposal))
        return proposal

    _, bodies = run(session, *(says(call(CLICK, id=f"c{n}")) for n in range(6)), max_images=2)
    assert [str(body).count("data:image") for body in bodies] == [1, 2, 2, 2, 2, 2]
    for body in bodies:
        assert INSTRUCTION in texts(body["input"])


def test_a_model_error_passes_through_and_the_step_can_be_asked_again() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        with pytest.raises(ModelError):
            await agent.propose(observed(), done(first))
        return await agent.propose(observed(), done(first))

    _, bodies = run(session, says(call(CLICK)), Status(401), Say("Done."))
    assert bodies[1] == bodies[2]
