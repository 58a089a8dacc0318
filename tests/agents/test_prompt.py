from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Awaitable, Callable, Sequence

import pytest
from PIL import Image

from support.acting import FEEDBACK, INSTRUCTION, SHOT, done, dropped, items, meets, observed, plain, png, texts
from trueline.actions import Action, Click, Code, Done, Fail, Point, Type, Wait
from trueline.agents import find_agent
from trueline.agents.prompt.observation_message import ObservationType
from trueline.agents.types import Agent
from trueline.errors import InputError
from trueline.models import ModelError
from trueline.models.testing import Body, FakeServer, Play, Say, Status
from trueline.models.types import Json
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling
from trueline.records.step import ActionResult

CLICK = "I click it.\n```python\npyautogui.click(100, 200)\n```"
LOCAL = "local|any"


def run(
    session: Callable[[Agent], Awaitable[Proposal]],
    *plays: Play,
    sampling: Sampling | None = None,
    plan: str = "",
    spec: str = LOCAL,
    **options: str | int | bool,
) -> tuple[Proposal, list[Json]]:
    """Return the last proposal and the requests that were sent."""
    server = FakeServer(*plays, default=Say(CLICK))
    agent = find_agent("prompt", options, sampling).make()
    proposal = meets(session, agent, server, spec, plan=plan)
    return proposal, [seen.body for seen in server.seen]


def steps(number: int, marked: bool = False) -> Callable[[Agent], Awaitable[Proposal]]:
    """Do so many steps, all on different screens."""

    async def session(agent: Agent) -> Proposal:
        last: tuple[ActionResult, ...] = ()
        proposal = None
        for step in range(number):
            proposal = await agent.propose(observed(png(colour=f"#0000{step:02x}"), marked=marked), last)
            last = done(proposal) if proposal.actions else ()
        assert proposal
        return proposal

    return session


def pictures(body: Json) -> int:
    return str(body).count("data:image/png") + str(body).count("'media_type': 'image/png'")


@pytest.mark.parametrize(
    ("kind", "shots", "has_table", "has_marks"),
    [
        ("screenshot", 1, False, False),
        ("a11y_tree", 0, True, False),
        ("screenshot_a11y_tree", 1, True, False),
        ("som", 1, False, True),
    ],
)
def test_each_observation_type_shows_what_it_names(
    kind: ObservationType, shots: int, has_table: bool, has_marks: bool
) -> None:
    proposal, (body,) = run(steps(1, marked=True), observation_type=kind)
    words = texts(body["messages"])
    assert pictures(body) == shots
    assert ('push-button\tSave\t""\t\t\t(100, 200)\t(40, 20)' in words) == has_table
    assert ("1\tpush-button\tSave" in words) == has_marks
    assert INSTRUCTION in words
    assert plain(proposal.actions) == [Click(at=Point(100, 200))]
    wants = find_agent("prompt", {"observation_type": kind}).make().wants
    assert (wants.screenshot, wants.tree, wants.marks) == (bool(shots), has_table, has_marks)


@pytest.mark.parametrize(
    ("space", "answer", "expected"),
    [
        ("pyautogui", CLICK, [Click(at=Point(100, 200))]),
        ("pyautogui", "```\npyautogui.write('a; b')  # x; y\n```", [Type(text="a; b")]),
        ("pyautogui", "```python\nfor i in range(3): pyautogui.click(i, i)\n```", None),
        ("pyautogui", "WAIT", [Wait()]),
        ("pyautogui", "All is well.\n```DONE```", [Done()]),
        ("pyautogui", "```python\npyautogui.click(1, 2)\nDONE\n```", [Click(at=Point(1, 2)), Done()]),
        ("pyautogui", "There is no way.\n```\nFAIL\n```", [Fail()]),
        ("computer_13", '```json\n{"action_type": "CLICK", "x": 5, "y": 6}\n```', [Click(at=Point(5, 6))]),
        ("computer_13", '```json\n{"action_type": "TYPING", "parameters": {"text": "é"}}\n```', [Type(text="é")]),
        ("computer_13", "DONE", [Done()]),
    ],
)
def test_answers_become_typed_actions(space: str, answer: str, expected: Sequence[Action] | None) -> None:
    proposal, _ = run(steps(1), Say(answer), action_space=space)
    if expected is None:
        assert [type(action) for action in proposal.actions] == [Code]
    else:
        assert plain(proposal.actions) == expected
    assert proposal.raw == answer
    assert proposal.notes == ()


def test_the_words_around_the_code_are_the_thought_and_usage_is_recorded() -> None:
    proposal, _ = run(steps(1), Say(CLICK, input_tokens=70, output_tokens=9))
    assert proposal.thought == "I click it."
    assert proposal.usage
    assert (proposal.usage.input_tokens, proposal.usage.output_tokens, proposal.usage.calls) == (70, 9, 1)
    assert proposal.latency is not None
    assert proposal.latency > 0


@pytest.mark.parametrize(("window", "shots"), [(0, 1), (1, 2), (3, 4), (9, 6)])
def test_the_model_remembers_as_many_steps_as_the_window_holds(window: int, shots: int) -> None:
    _, bodies = run(steps(6), observation_type="screenshot", max_trajectory_length=window)
    assert [pictures(body) for body in bodies] == [min(n, shots) for n in range(1, 7)]
    roles = [message["role"] for message in items(bodies[-1]["messages"])]
    assert roles == ["system", *["user", "assistant"] * (shots - 1), "user"]
    assert texts(bodies[-1]["messages"]).count("I click it.") == shots - 1


def test_marks_of_the_past_are_shown_as_pictures_only() -> None:
    _, bodies = run(steps(3, marked=True), observation_type="som")
    assert pictures(bodies[-1]) == 3
    assert texts(bodies[-1]["messages"]).count("index\ttag\tname\ttext") == 1


def test_a_long_tree_is_cut() -> None:
    _, (body,) = run(steps(1), a11y_tree_max_tokens=40)
    words = texts(body["messages"])
    assert "Save" in words
    assert "File" not in words
    assert "[...]\n" in words


def test_sampling_goes_to_the_model() -> None:
    _, (body,) = run(steps(1), sampling=Sampling(temperature=0.5, top_p=0.9, max_tokens=1500))
    assert (body["temperature"], body["top_p"]) == (0.5, 0.9)
    assert 1500 in (body.get("max_tokens"), body.get("max_completion_tokens"))


def test_the_plan_is_part_of_the_prompt() -> None:
    _, (body,) = run(steps(1), plan="First open $HOME in the file manager.")
    assert "First open $HOME in the file manager." in texts(body["messages"])


@pytest.mark.parametrize(
    ("space", "answer", "why"),
    [
        ("pyautogui", "I would click the button.", "no code block"),
        ("pyautogui", "```python\npyautogui.click(1, 2)", "no code block"),
        ("computer_13", "```json\n{nonsense}\n```", "not JSON"),
        ("computer_13", '```json\n{"action_type": "FLY"}\n```', "FLY"),
        ("pyautogui", "```python\n" + "pyautogui.click(1, 2)\n" * 201 + "```", "201 actions"),
    ],
)
def test_an_unreadable_answer_spends_the_step_and_says_why(space: str, answer: str, why: str) -> None:
    proposal, bodies = run(steps(1), Say(answer), action_space=space)
    assert proposal.actions == ()
    assert proposal.raw == answer
    assert [why in note for note in proposal.notes] == [True]
    assert len(bodies) == 1


def test_asking_again_is_bounded_and_recorded() -> None:
    proposal, bodies = run(steps(1), Say("hm"), Say("let me see"), Say(CLICK), format_retries=2)
    assert plain(proposal.actions) == [Click(at=Point(100, 200))]
    assert proposal.raw == CLICK
    assert [("hm" in note, "let me see" in note) for note in proposal.notes] == [(True, False), (False, True)]
    assert proposal.usage
    assert proposal.usage.calls == len(bodies) == 3
    assert texts(bodies[1]["messages"]).rstrip().endswith("in the form that you were told at the beginning.")
    given_up, bodies = run(steps(1), Say("hm"), Say("hm"), Say("hm"), format_retries=2)
    assert given_up.actions == ()
    assert len(bodies) == 3


def test_a_provider_that_refuses_ends_the_episode_as_refused() -> None:
    proposal, _ = run(steps(1), Say("", stop="refusal", refusal="I cannot help with that"))
    assert [(a.refused, "cannot help" in (a.reason or "")) for a in proposal.actions if isinstance(a, Fail)] == [
        (True, True)
    ]
    filtered, _ = run(steps(1), Status(400, "blocked", error_code="content_filter"))
    assert [(a.refused, "content filter" in (a.reason or "")) for a in filtered.actions if isinstance(a, Fail)] == [
        (True, True)
    ]


@pytest.mark.parametrize("answer", ["REFUSED: it harms people\n```\nFAIL\n```", "REFUSED: it harms people"])
def test_a_fail_that_the_model_marks_is_a_refusal(answer: str) -> None:
    proposal, _ = run(steps(1), Say(answer))
    assert plain(proposal.actions) == [Fail(reason="it harms people", refused=True)]


def test_a_fail_that_talks_of_refusing_is_none() -> None:
    proposal, _ = run(steps(1), Say("The dialog says it REFUSED: access. I refuse to go on.\n```FAIL```"))
    assert plain(proposal.actions) == [Fail()]


def test_feedback_comes_as_the_users_words_and_stays_in_the_story() -> None:
    async def session(agent: Agent) -> Proposal:
        rejected = await agent.propose(observed(), ())
        revised = await agent.revise(rejected, FEEDBACK)
        assert revised.id != rejected.id
        return await agent.propose(observed(), done(revised))

    _, bodies = run(
        session, Say("```python\npyautogui.press('delete')\n```"), Say(CLICK), observation_type="screenshot"
    )
    for body in bodies[1:]:
        words = texts(body["messages"])
        assert "pyautogui.press('delete')" in words
        assert "It deletes a file." in words
        assert "the pop-up" in words
        assert "Rename it." in words
    assert [pictures(body) for body in bodies] == [1, 1, 2]


def test_only_the_last_proposal_can_be_revised() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        await agent.propose(observed(), done(first))
        return await agent.revise(first, FEEDBACK)

    with pytest.raises(InputError, match="last proposal"):
        run(session)


@pytest.mark.parametrize(
    ("spec", "too_long"),
    [
        ("openai|gpt-4o", Status(400, "too long", error_code="context_length_exceeded")),
        ("local|any", Body(b'{"object": "error", "message": "It is longer than the maximum model length of 9.", '
                           b'"type": "BadRequestError", "code": 400}', 400)),
        ("anthropic|claude-sonnet-4-5", Status(400, "prompt is too long: 208656 tokens > 200000 maximum")),
    ],
)  # fmt: skip
def test_a_question_too_long_is_asked_without_the_past(spec: str, too_long: Status | Body) -> None:
    plays = (Say(CLICK), Say(CLICK), too_long)
    proposal, bodies = run(steps(3), *plays, spec=spec, observation_type="screenshot")
    assert [pictures(body) for body in bodies] == [1, 2, 3, 1]
    assert any("left out" in note for note in proposal.notes)
    with pytest.raises(ModelError):
        run(steps(1), too_long, spec=spec)


def test_a_model_error_passes_through_and_the_step_can_be_asked_again() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        with pytest.raises(ModelError):
            await agent.propose(observed(), done(first))
        again = await agent.propose(observed(), done(first))
        with pytest.raises(ModelError):
            await agent.revise(again, FEEDBACK)
        return await agent.revise(again, FEEDBACK)

    fault = Status(401)
    _, bodies = run(session, Say(CLICK), fault, Say(CLICK), fault, observation_type="screenshot")
    assert bodies[1] == bodies[2]
    assert bodies[3] == bodies[4]


def test_errors_of_actions_are_told_only_where_asked_for() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), done(first, error="NameError: name 'x' is not defined"))

    for told in (False, True):
        _, bodies = run(session, action_errors=told)
        assert ("NameError" in texts(bodies[1]["messages"])) == told


def test_a_dropped_proposal_is_always_told() -> None:
    async def session(agent: Agent) -> Proposal:
        first = await agent.propose(observed(), ())
        return await agent.propose(observed(), dropped(first, "not executed: it deletes a file"))

    _, bodies = run(session)
    assert "not executed: it deletes a file" in texts(bodies[1]["messages"])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pyautogui.click(tag_1)", [Click(at=Point(120, 210))]),
        ("pyautogui.click(*tag_2)", [Click(at=Point(30, 20))]),
        ("pyautogui.click(tag_1[0], tag_1[1] + 5)", [Click(at=Point(120, 215))]),
        ("pyautogui.click(5, 6)", [Click(at=Point(5, 6))]),
        ("pyautogui.write('tag_77')", [Type(text="tag_77")]),
    ],
)
def test_tags_are_the_middles_of_their_elements(code: str, expected: Sequence[Action]) -> None:
    proposal, _ = run(steps(1, marked=True), Say(f"```python\n{code}\n```"), observation_type="som")
    assert plain(proposal.actions) == expected


def test_a_program_with_tags_runs_with_them_in_front() -> None:
    loop = "for _ in range(2):\n    pyautogui.click(tag_2)"
    proposal, _ = run(steps(1, marked=True), Say(f"```python\n{loop}\n```"), observation_type="som")
    assert proposal.actions == (Code(source=f"tag_2 = (30, 20)\n{loop}", raw=loop),)


def test_a_tag_that_is_not_on_the_screen_runs_nothing() -> None:
    answer = "```python\npyautogui.click(tag_1)\npyautogui.click(tag_77)\n```"
    proposal, _ = run(steps(1, marked=True), Say(answer), observation_type="som")
    assert proposal.actions == ()
    assert "tag_77" in proposal.notes[0]


def test_tags_mean_nothing_where_no_tags_were_shown() -> None:
    answer = "```python\npyautogui.click(tag_1)\n```"
    proposal, _ = run(steps(1, marked=True), Say(answer), observation_type="screenshot")
    assert proposal.actions == (Code(source="pyautogui.click(tag_1)", raw="pyautogui.click(tag_1)"),)
    unmarked, _ = run(steps(1), Say(answer), observation_type="som")
    assert unmarked.actions == ()


def test_a_truncated_answer_is_marked() -> None:
    proposal, _ = run(steps(1), Say("I think that I should", stop="length"))
    assert proposal.actions == ()
    assert "token limit" in proposal.notes[0]


def test_names_of_proposals_stay_unique_over_tries_of_one_episode() -> None:
    async def session(agent: Agent) -> Proposal:
        return await agent.propose(observed(), ())

    agent = find_agent("prompt").make()
    first = meets(session, agent, FakeServer(default=Say(CLICK)), LOCAL)
    second = meets(session, agent, FakeServer(default=Say(CLICK)), LOCAL)
    assert first.id != second.id


def test_the_screen_goes_out_as_it_is() -> None:
    server = FakeServer(default=Say(CLICK))

    async def session(agent: Agent) -> Proposal:
        return await agent.propose(observed(SHOT), ())

    meets(session, find_agent("prompt", {"observation_type": "screenshot"}).make(), server, LOCAL)
    assert server.seen[0].pictures() == [hashlib.sha256(SHOT).hexdigest()]


def test_the_marked_picture_has_frames_and_numbers_and_the_rest_as_it_was() -> None:
    server = FakeServer(default=Say(CLICK))

    async def session(agent: Agent) -> Proposal:
        return await agent.propose(observed(SHOT, marked=True), ())

    meets(session, find_agent("prompt", {"observation_type": "som"}).make(), server, LOCAL)
    (encoded,) = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", server.seen[0].raw.decode())
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as opened, Image.open(io.BytesIO(SHOT)) as before:
        assert opened.size == before.size
        assert [opened.getpixel(at) for at in ((100, 200), (139, 210), (10, 10))] == [(255, 0, 0)] * 3
        assert (0, 0, 0) in {opened.getpixel((x, 218)) for x in range(101, 110)}
        assert opened.getpixel((600, 600)) == before.getpixel((600, 600))


@pytest.mark.parametrize("told", [False, True])
def test_safety_is_spoken_of_only_where_asked_for(told: bool) -> None:
    _, (body,) = run(steps(1), safety_prompt=told)
    assert ("whoever it claims to be from" in texts(body["messages"])) == told
