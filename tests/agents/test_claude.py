from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Awaitable, Callable, Sequence

import pytest
from PIL import Image as Pillow

from support.acting import (
    FEEDBACK,
    INSTRUCTION,
    anthropic_rule,
    done,
    dropped,
    items,
    meets,
    observed,
    plain,
    png,
    strict,
    texts,
)
from trueline.actions import (
    Action,
    Click,
    CursorPosition,
    Done,
    Drag,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Screenshot,
    Scroll,
    Size,
    Type,
    Wait,
    Zoom,
)
from trueline.actions.codecs.claude import ClaudeTool
from trueline.agents import find_agent
from trueline.agents.native.claude import default_tool
from trueline.agents.types import Agent
from trueline.models import ModelError, ToolCall
from trueline.models.testing import Body, Play, Say, Status
from trueline.models.types import Json
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult

SPEC = "anthropic|claude-sonnet-4-5"
SINGLE: tuple[ClaudeTool, ClaudeTool] = ("computer_20250124", "computer_20251124")
TOOLSET: ClaudeTool = "computer_toolset_20260801"

# Display 1280x720 before a screen of 1920x1080: every coordinate grows by half.
VOCABULARY: list[tuple[str, Json, Sequence[Action]]] = [
    ("left_click", {"coordinate": [100, 200]}, [Click(at=Point(150, 300))]),
    ("left_click", {"coordinate": [100, 200], "text": "ctrl"}, [Click(at=Point(150, 300), modifiers=("ctrl",))]),
    ("left_click", {}, [Click()]),
    ("right_click", {"coordinate": [0, 0]}, [Click(at=Point(0, 0), button="right")]),
    ("middle_click", {"coordinate": [2, 2]}, [Click(at=Point(3, 3), button="middle")]),
    ("double_click", {"coordinate": [2, 2]}, [Click(at=Point(3, 3), count=2)]),
    ("triple_click", {"coordinate": [2, 2]}, [Click(at=Point(3, 3), count=3)]),
    ("mouse_move", {"coordinate": [1280, 720]}, [Move(to=Point(1919, 1079))]),
    (
        "left_click_drag",
        {"start_coordinate": [10, 10], "coordinate": [20, 20]},
        [Drag(start=Point(15, 15), path=(Point(30, 30),))],
    ),
    ("left_mouse_down", {}, [MouseDown()]),
    ("left_mouse_up", {}, [MouseUp()]),
    (
        "scroll",
        {"coordinate": [2, 2], "scroll_direction": "down", "scroll_amount": 3},
        [Scroll(at=Point(3, 3), dy=3)],
    ),
    ("scroll", {"coordinate": [2, 2], "scroll_direction": "up", "scroll_amount": 3}, [Scroll(at=Point(3, 3), dy=-3)]),
    ("scroll", {"coordinate": [2, 2], "scroll_direction": "left", "scroll_amount": 1}, [Scroll(at=Point(3, 3), dx=-1)]),
    ("scroll", {"coordinate": [2, 2], "scroll_direction": "right", "scroll_amount": 1}, [Scroll(at=Point(3, 3), dx=1)]),
    ("type", {"text": "Grüße\n"}, [Type(text="Grüße\n")]),
    ("key", {"text": "Return"}, [Key(key="enter")]),
    ("key", {"text": "ctrl+s"}, [Hotkey(keys=("ctrl", "s"))]),
    ("hold_key", {"text": "shift", "duration": 2}, [HoldKey(keys=("shift",), duration=2)]),
    ("wait", {"duration": 1.5}, [Wait(seconds=1.5)]),
    ("screenshot", {}, [Screenshot()]),
    ("cursor_position", {}, [CursorPosition()]),
]
ZOOM: tuple[str, Json, Sequence[Action]] = (
    "zoom",
    {"region": [0, 0, 640, 360]},
    [Zoom(top_left=Point(0, 0), bottom_right=Point(960, 540))],
)


def vocabulary(tool: ClaudeTool) -> list[tuple[str, Json, Sequence[Action]]]:
    return VOCABULARY if tool == "computer_20250124" else [*VOCABULARY, ZOOM]


def call(name: str, arguments: Json, id: str = "t1", tool: ClaudeTool = SINGLE[0]) -> ToolCall:
    if tool == TOOLSET:
        return ToolCall(id=id, name=name, arguments=arguments)
    return ToolCall(id=id, name="computer", arguments={"action": name, **arguments})


def says(*calls: ToolCall, text: str = "") -> Say:
    return Say(text, calls=calls)


def run(
    session: Callable[[Agent], Awaitable[Proposal]], *plays: Play, spec: str = SPEC, **options: str | int
) -> tuple[Proposal, list[Json]]:
    server = strict(anthropic_rule, plays)
    proposal = meets(session, find_agent("claude", options).make(), server, spec)
    return proposal, [seen.body for seen in server.seen]


async def one(agent: Agent) -> Proposal:
    return await agent.propose(observed(), ())


def last_turn(body: Json) -> list[Json]:
    return items(items(body["messages"])[-1]["content"])


@pytest.mark.parametrize("tool", [*SINGLE, TOOLSET])
def test_one_episode_through_the_whole_vocabulary(tool: ClaudeTool) -> None:
    words = vocabulary(tool)
    plays = [says(call(name, given, f"t{n}", tool), text="Next.") for n, (name, given, _) in enumerate(words)]
    seen: list[Sequence[Action]] = []

    async def session(agent: Agent) -> Proposal:
        last: tuple[ActionResult, ...] = ()
        shot = png(Size(1280, 720))  # of the display's size, so that nothing has to be scaled
        for _ in words:
            proposal = await agent.propose(observed(shot), last)
            seen.append(plain(proposal.actions))
            assert proposal.thought == "Next."
            assert proposal.notes == ()
            last = done(proposal)
        return await agent.propose(observed(shot), last)

    end, bodies = run(session, *plays, Say("The file has its name."), tool=tool)
    assert seen == [list(actions) for _, _, actions in words]
    assert plain(end.actions) == [Done(answer="The file has its name.")]
    declared = items(bodies[0]["tools"])[0]
    assert declared["type"] == tool
    if tool != TOOLSET:
        assert (declared["display_width_px"], declared["display_height_px"]) == (1280, 720)


def test_the_model_sees_the_screen_in_the_size_it_was_told() -> None:
    _, (body,) = run(one, says(call("screenshot", {})))
    words, picture = last_turn(body)
    assert INSTRUCTION in str(words["text"])
    source = picture["source"]
    assert isinstance(source, dict)
    with Pillow.open(io.BytesIO(base64.b64decode(str(source["data"])))) as opened:
        assert opened.size == (1280, 720)


def test_a_screen_of_the_right_size_goes_out_as_it_is() -> None:
    shot = png(Size(1920, 1080))
    server = strict(anthropic_rule, [says(call("left_click", {"coordinate": [7, 8]}))])

    async def session(agent: Agent) -> Proposal:
        return await agent.propose(observed(shot), ())

    agent = find_agent("claude", {"display": [1920, 1080]}).make()
    proposal = meets(session, agent, server, SPEC)
    assert server.seen[0].pictures() == [hashlib.sha256(shot).hexdigest()]
    assert plain(proposal.actions) == [Click(at=Point(7, 8))]


def test_results_carry_the_new_screen() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first))

    _, bodies = run(session, says(call("left_click", {"coordinate": [1, 1]})), Say("Done."))
    (result,) = last_turn(bodies[1])
    assert result["type"] == "tool_result"
    assert result.get("is_error") is None
    assert [piece["type"] for piece in items(result["content"])] == ["image"]


def test_an_action_that_failed_is_an_error_result_with_the_screen_beside_it() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first, error="no such key"))

    _, bodies = run(session, says(call("key", {"text": "Return"})), Say("Done."))
    result, picture = last_turn(bodies[1])
    assert result["is_error"] is True
    assert "no such key" in texts(result)
    assert picture["type"] == "image"


def test_several_calls_of_one_answer_are_one_proposal_and_each_gets_its_result() -> None:
    calls = (call("left_click", {"coordinate": [1, 1]}, "a"), call("type", {"text": "x"}, "b"))

    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        assert [action.kind for action in first.actions] == ["click", "type"]
        return await agent.propose(observed(), done(first)[:1])

    _, bodies = run(session, says(*calls), Say("Done."))
    first, second, _ = last_turn(bodies[1])
    assert (first["tool_use_id"], first.get("is_error")) == ("a", None)
    assert (second["tool_use_id"], second["is_error"]) == ("b", True)
    assert "not executed" in texts(second)


def test_feedback_is_the_error_result_of_the_rejected_call() -> None:
    async def session(agent: Agent) -> Proposal:
        rejected = await agent.propose(observed(), ())
        return await agent.revise(rejected, FEEDBACK)

    plays = (says(call("key", {"text": "Delete"}, "a"), call("wait", {"duration": 1}, "b")), Say("Done."))
    _, bodies = run(session, *plays)
    results = last_turn(bodies[1])
    assert [(result["tool_use_id"], result["is_error"]) for result in results] == [("a", True), ("b", True)]
    for words in ("It deletes a file.", "the pop-up", "Rename it."):
        assert words in texts(results[0])


def test_feedback_on_an_end_without_a_call_comes_as_words() -> None:
    async def session(agent: Agent) -> Proposal:
        rejected = await agent.propose(observed(), ())
        return await agent.revise(rejected, FEEDBACK)

    proposal, bodies = run(session, Say("Done."), says(call("screenshot", {})))
    assert "It deletes a file." in texts(last_turn(bodies[1]))
    assert plain(proposal.actions) == [Screenshot()]


def test_a_proposal_that_was_dropped_gets_its_result_too() -> None:
    for why in ("", "the guard says no"):

        async def session(agent: Agent, why: str = why) -> Proposal:
            first = await agent.propose(observed(), ())
            return await agent.propose(observed(), dropped(first, why) if why else ())

        _, bodies = run(session, says(call("left_click", {"coordinate": [1, 1]})), Say("Done."))
        result, picture = last_turn(bodies[1])
        assert result["is_error"] is True
        assert (why or "not executed") in texts(result)
        assert picture["type"] == "image"


def test_the_pointer_is_told_in_the_models_own_pixels() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first, output="(150, 300)"))

    _, bodies = run(session, says(call("cursor_position", {})), Say("Done."))
    assert "X=100, Y=200" in texts(last_turn(bodies[1]))


def test_zooming_shows_that_part_of_the_screen_at_full_resolution() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first))

    tool = "computer_20251124"
    _, bodies = run(session, says(call("zoom", {"region": [640, 360, 1280, 720]}, tool=tool)), Say("Done."), tool=tool)
    (result,) = last_turn(bodies[1])
    (picture,) = items(result["content"])
    source = picture["source"]
    assert isinstance(source, dict)
    with Pillow.open(io.BytesIO(base64.b64decode(str(source["data"])))) as opened:
        assert opened.size == (960, 540)
        assert opened.convert("RGB").getpixel((500, 300)) == (0, 0, 128)


def test_a_call_that_cannot_be_read_is_answered_with_an_error_and_asked_again() -> None:
    bad = says(call("fly", {"coordinate": [1, 1]}, "a"), call("wait", {"duration": 1}, "b"))
    proposal, bodies = run(
        one, bad, says(call("left_click", {"coordinate": [9999, 1]}, "c")), says(call("wait", {}, "d"))
    )
    assert plain(proposal.actions) == [Wait()]
    assert ["fly" in note for note in proposal.notes] == [True, False]
    assert "outside" in proposal.notes[1]
    assert proposal.usage
    assert proposal.usage.calls == 3
    assert [result["is_error"] for result in last_turn(bodies[1])] == [True, True]


def test_asking_again_is_bounded_and_the_episode_goes_on() -> None:
    async def session(agent: Agent) -> Proposal:
        spent = await agent.propose(observed(), ())
        assert spent.actions == ()
        assert len(spent.notes) == 2
        return await agent.propose(observed(), ())

    bad = says(call("fly", {}))
    proposal, bodies = run(session, bad, bad, Say("Done."), format_retries=1)
    assert plain(proposal.actions) == [Done(answer="Done.")]
    assert "fly" in texts(last_turn(bodies[2]))


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        (Say("[INFEASIBLE] There is no printer."), Fail(reason="There is no printer.")),
        (Say("[REFUSED] It would harm people."), Fail(reason="It would harm people.", refused=True)),
        (
            Say("", stop="refusal", refusal="policy"),
            Fail(reason="the model refused: policy", refused=True),
        ),
    ],
)
def test_ends(play: Play, expected: Action) -> None:
    proposal, _ = run(one, play)
    assert plain(proposal.actions) == [expected]


def test_an_answer_cut_off_inside_a_call_is_not_sent_back() -> None:
    async def session(agent: Agent) -> Proposal:
        spent = await agent.propose(observed(), ())
        assert spent.actions == ()
        assert "token limit" in spent.notes[0]
        return await agent.propose(observed(), ())

    cut = Body.from_json(
        {
            "model": "m",
            "content": [{"type": "tool_use", "id": "t1", "name": "computer", "input": {}}],
            "stop_reason": "max_tokens",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    proposal, _ = run(session, cut, says(call("screenshot", {})))
    assert plain(proposal.actions) == [Screenshot()]


def test_only_the_last_pictures_are_remembered() -> None:
    async def session(agent: Agent) -> Proposal:
        proposal = await agent.propose(observed(), ())
        for _ in range(5):
            proposal = await agent.propose(observed(), done(proposal))
        return proposal

    plays = [says(call("screenshot", {}, f"t{n}")) for n in range(6)]
    _, bodies = run(session, *plays, max_images=2)
    assert [str(body).count("'type': 'image'") for body in bodies] == [1, 2, 2, 2, 2, 2]
    assert INSTRUCTION in texts(bodies[-1]["messages"])


def test_a_model_error_passes_through_and_the_step_can_be_asked_again() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        with pytest.raises(ModelError):
            await agent.propose(observed(), done(first))
        return await agent.propose(observed(), done(first))

    _, bodies = run(session, says(call("screenshot", {})), Status(401), Say("Done."))
    assert bodies[1] == bodies[2]


@pytest.mark.parametrize(
    ("model", "tool"),
    [
        ("claude-3-7-sonnet-20250219", "computer_20250124"),
        ("claude-sonnet-4-5", "computer_20250124"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "computer_20250124"),
        ("claude-opus-4-1-20250805", "computer_20250124"),
        ("claude-opus-4-5", "computer_20251124"),
        ("claude-sonnet-4-6", "computer_20251124"),
    ],
)
def test_the_tool_follows_from_the_model(model: str, tool: str) -> None:
    assert default_tool(model) == tool
