from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    Click,
    DecodeError,
    Done,
    Drag,
    EncodeError,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    Move,
    Point,
    Scroll,
    Size,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.qwen import decode, decode_arguments, encode, encode_call, scale
from trueline.actions.coordinates import same
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

SCREEN = Size(1920, 1080)
RELATIVE, ABSOLUTE = scale(SCREEN), scale(SCREEN, "absolute")
P = Point(192, 216)
XY = {"coordinate": [100, 200]}


def call(*arguments: dict[str, object]) -> str:
    calls = [{"name": "computer_use", "arguments": given} for given in arguments]
    return "\n".join(f"<tool_call>\n{json.dumps(one)}\n</tool_call>" for one in calls)


VOCABULARY: list[tuple[dict[str, object], Action]] = [
    ({"action": "key", "keys": ["ctrl", "c"]}, Hotkey(keys=("ctrl", "c"))),
    ({"action": "key", "keys": ["Return"]}, Key(key="enter")),
    ({"action": "key", "keys": ["ctrl+c"]}, Hotkey(keys=("ctrl", "c"))),
    ({"action": "key", "keys": ["ctrl", "+"]}, Hotkey(keys=("ctrl", "+"))),
    ({"action": "key", "keys": ["page down"]}, Key(key="pagedown")),
    ({"action": "key", "keys": [" "]}, Key(key="space")),
    ({"action": "type", "text": "hé\n"}, Type(text="hé\n")),
    ({"action": "mouse_move", **XY}, Move(to=P)),
    ({"action": "left_click", **XY}, Click(at=P)),
    ({"action": "left_click"}, Click()),
    ({"action": "left_click_drag", **XY}, Drag(path=(P,))),
    ({"action": "right_click", **XY}, Click(at=P, button="right")),
    ({"action": "middle_click", **XY}, Click(at=P, button="middle")),
    ({"action": "double_click", **XY}, Click(at=P, count=2)),
    ({"action": "triple_click", **XY}, Click(at=P, count=3)),
    ({"action": "scroll", "pixels": -120, **XY}, Scroll(at=P, dy=120, unit="pixels")),
    ({"action": "scroll", "pixels": 120}, Scroll(dy=-120, unit="pixels")),
    ({"action": "hscroll", "pixels": 30}, Scroll(dx=30, unit="pixels")),
    ({"action": "wait", "time": 2.5}, Wait(seconds=2.5)),
    ({"action": "wait"}, Wait()),
    ({"action": "terminate", "status": "success"}, Done()),
    ({"action": "terminate", "status": "failure"}, Fail()),
    ({"action": "answer", "text": "42"}, Done(answer="42")),
]


@pytest.mark.parametrize(("arguments", "expected"), VOCABULARY)
def test_every_action(arguments: dict[str, object], expected: Action) -> None:
    assert bare(decode_arguments(arguments, RELATIVE)) == expected
    assert [bare(action) for action in decode(call(arguments), RELATIVE).actions] == [expected]


def test_several_calls_and_the_thought() -> None:
    answer = "Action: I click and type.\n" + call({"action": "left_click", **XY}, {"action": "type", "text": "</tool"})
    decoded = decode(answer + "\nThat is all.", RELATIVE)
    assert [bare(action) for action in decoded.actions] == [Click(at=P), Type(text="</tool")]
    assert decoded.thought == "Action: I click and type.\nThat is all."
    assert json.loads(decoded.actions[0].raw) == {"action": "left_click", **XY}
    assert decode("I only talk.", RELATIVE).actions == ()


def test_an_answer_and_how_it_ended_are_one_end() -> None:
    said: dict[str, object] = {"action": "answer", "text": "42"}
    good: dict[str, object] = {"action": "terminate", "status": "success"}
    bad = good | {"status": "failure"}
    assert [bare(action) for action in decode(call(said, good), RELATIVE).actions] == [Done(answer="42")]
    assert [bare(action) for action in decode(call(said, bad), RELATIVE).actions] == [Fail(reason="42")]


def test_spaces() -> None:
    corner: dict[str, object] = {"action": "left_click", "coordinate": [999, 999]}
    assert bare(decode_arguments(corner, RELATIVE)) == Click(at=Point(1919, 1079))
    resized: dict[str, object] = {"action": "left_click", "coordinate": [960, 544]}  # of 1920x1088
    assert bare(decode_arguments(resized, ABSOLUTE)) == Click(at=Point(960, 540))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("<tool_call>\n{}", "without </tool_call>"),
        ("<tool_call>{broken}</tool_call>", "not JSON"),
        ("<tool_call>" + "[" * 100_000 + "</tool_call>", "not JSON"),
        ('<tool_call>{"arguments": {}}</tool_call>', "name is missing"),
        ('<tool_call>{"name": "bash", "arguments": {}}</tool_call>', "a call of 'bash'"),
        ('<tool_call>{"name": "computer_use"}</tool_call>', "expected a JSON object"),
        (
            '<tool_call>{"name": "computer_use", "arguments": {"action": "wait"}, "id": 1}</tool_call>',
            "unknown field id",
        ),
        (call({"action": "jump"}), "unknown action 'jump'"),
        (call({"action": "mouse_move"}), "mouse_move needs coordinate"),
        (call({"action": "left_click", "coordinate": [1000, 5]}), "outside 0 to 999"),
        (call({"action": "left_click", "coordinate": [5]}), "two numbers"),
        (call({"action": "left_click", **XY, "text": "a"}), "left_click takes no text"),
        (call({"action": "scroll"}), "scroll needs pixels"),
        (call({"action": "scroll", "pixels": 1.5}), "whole number"),
        (call({"action": "key", "keys": []}), "names no key"),
        (call({"action": "key", "keys": ["ctrl++c"]}), "no key between"),
        (call({"action": "key", "keys": "ctrl"}), "must be a list"),
        (call({"action": "terminate"}), "needs status"),
        (call({"action": "terminate", "status": "perhaps"}), "success or failure"),
        (call({"action": "wait", "time": -1}), "negative"),
        (call({"action": "wait"}, {"action": "jump"}), "unknown action"),
    ],
)
def test_what_cannot_be_understood_is_refused_whole(answer: str, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        decode(answer, RELATIVE)


points = st.builds(Point, st.integers(0, 1919), st.integers(0, 1079))
keys = st.sampled_from(sorted(CANONICAL_NAMES - {"command", "option", "optionright"}) + sorted(PRINTABLE))
texts = st.text(st.characters(exclude_categories=["Cs"]))
amounts = st.integers(-5000, 5000)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, at=st.none() | points, count=st.integers(1, 3)),
    st.builds(Click, at=points, button=st.sampled_from(["right", "middle"])),
    st.builds(Move, to=points),
    st.builds(Drag, path=st.tuples(points)),
    st.builds(Scroll, at=st.none() | points, dx=amounts, unit=st.just("pixels")),
    st.builds(Scroll, at=st.none() | points, dy=amounts, unit=st.just("pixels")),
    st.builds(Key, key=keys),
    st.builds(Hotkey, keys=st.lists(keys, min_size=2, max_size=3).map(tuple)),
    st.builds(Type, text=texts),
    st.builds(Wait, seconds=st.none() | st.floats(0, 1000)),
    st.builds(Done, answer=st.none() | texts),
    st.just(Fail()),
)


@given(actions)
def test_actions_come_back_as_they_were(action: Action) -> None:
    assert bare(decode_arguments(encode(action, same(SCREEN)), same(SCREEN))) == action


def test_a_call_as_text() -> None:
    text = encode_call(Click(at=P), RELATIVE)
    assert [bare(action) for action in decode(text, RELATIVE).actions] == [Click(at=P)]


@pytest.mark.parametrize(
    "action",
    [
        Click(button="back"),
        Click(modifiers=("ctrl",)),
        Drag(start=P, path=(P,)),
        Drag(path=(P, P)),
        Scroll(dy=1),
        Scroll(dx=1, dy=1, unit="pixels"),
        Key(key="a", presses=2),
        HoldKey(keys=("a",), duration=1),
        Fail(reason="no"),
        Move(to=P, duration=1),
        Click(at=Point(5000, 0)),
    ],
)
def test_what_the_function_cannot_say_is_an_error(action: Action) -> None:
    with pytest.raises(EncodeError, match=f"computer_use cannot express {action.kind}"):
        encode(action, RELATIVE)


def test_a_key_of_an_unknown_name_is_kept_and_noted() -> None:
    decoded = decode(call({"action": "key", "keys": ["ctrl", "NoSuchKey"]}), RELATIVE)
    assert [bare(action) for action in decoded.actions] == [Hotkey(keys=("ctrl", "NoSuchKey"))]
    assert decoded.note == "keys of an unknown name, kept as they are: 'NoSuchKey'"
    assert decode(call({"action": "key", "keys": ["ctrl", "c"]}), RELATIVE).note == ""
