from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    Click,
    Code,
    DecodeError,
    Done,
    Drag,
    EncodeError,
    Fail,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.computer_13 import decode, decode_answer, encode
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

P = Point(100, 200)
XY = {"x": 100, "y": 200}

VOCABULARY: list[tuple[str, dict[str, object], Action]] = [
    ("MOVE_TO", {**XY}, Move(to=P)),
    ("MOVE_TO", {"x": 100.9, "y": 200.5}, Move(to=P)),
    ("CLICK", {}, Click()),
    ("CLICK", {**XY}, Click(at=P)),
    ("CLICK", {"button": "right", **XY, "num_clicks": 3}, Click(at=P, button="right", count=3)),
    ("MOUSE_DOWN", {}, MouseDown()),
    ("MOUSE_DOWN", {"button": "middle"}, MouseDown(button="middle")),
    ("MOUSE_UP", {"button": "left"}, MouseUp()),
    ("RIGHT_CLICK", {**XY}, Click(at=P, button="right")),
    ("DOUBLE_CLICK", {**XY}, Click(at=P, count=2)),
    ("DOUBLE_CLICK", {}, Click(count=2)),
    ("DRAG_TO", {**XY}, Drag(path=(P,), duration=1.0)),
    ("SCROLL", {"dx": 2, "dy": -3}, Scroll(dx=2, dy=3)),
    ("TYPING", {"text": "hé\n"}, Type(text="hé\n")),
    ("PRESS", {"key": "Return"}, Key(key="enter")),
    ("KEY_DOWN", {"key": "ctrl"}, KeyDown(key="ctrl")),
    ("KEY_UP", {"key": "ctrl"}, KeyUp(key="ctrl")),
    ("HOTKEY", {"keys": ["ctrl", "c"]}, Hotkey(keys=("ctrl", "c"))),
    ("WAIT", {}, Wait()),
    ("FAIL", {}, Fail()),
    ("DONE", {}, Done()),
]


@pytest.mark.parametrize(("kind", "parameters", "expected"), VOCABULARY)
def test_both_shapes_of_every_action(kind: str, parameters: dict[str, object], expected: Action) -> None:
    assert bare(decode({"action_type": kind, "parameters": parameters})) == expected
    assert bare(decode({"action_type": kind, **parameters})) == expected


@pytest.mark.parametrize(("word", "expected"), [("WAIT", Wait()), ("FAIL", Fail()), (" DONE\n", Done())])
def test_bare_words(word: str, expected: Action) -> None:
    assert bare(decode(word)) == expected


def test_the_object_is_kept_as_raw() -> None:
    assert decode({"action_type": "TYPING", "text": "é"}).raw == '{"action_type": "TYPING", "text": "é"}'


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ({}, "action_type is missing"),
        ({"action_type": "JUMP"}, "unknown action_type 'JUMP'"),
        ("CLICK", "a bare word must be WAIT"),
        ({"action_type": "click"}, "unknown action_type 'click'"),
        ({"action_type": 5}, "must be a string"),
        ({"action_type": "MOVE_TO"}, "needs x and y"),
        ({"action_type": "MOVE_TO", "x": 1}, "needs y"),
        ({"action_type": "MOVE_TO", "x": "1", "y": 2}, "must be a number"),
        ({"action_type": "MOVE_TO", "x": True, "y": 2}, "must be a number"),
        ({"action_type": "MOVE_TO", "x": float("nan"), "y": 2}, "not a usable number"),
        ({"action_type": "MOVE_TO", "x": 10**400, "y": 2}, "not a usable number"),
        ({"action_type": "MOVE_TO", "x": -5, "y": 2}, "outside"),
        ({"action_type": "MOVE_TO", "x": 1, "y": 2, "z": 3}, "MOVE_TO takes no z"),
        ({"action_type": "CLICK", "num_clicks": 0}, "1 to 3"),
        ({"action_type": "CLICK", "button": "thumb"}, "unknown button"),
        ({"action_type": "SCROLL", "dx": 1}, "needs dy"),
        ({"action_type": "SCROLL", "dx": 1.5, "dy": 1}, "whole number"),
        ({"action_type": "TYPING"}, "needs text"),
        ({"action_type": "PRESS", "key": ""}, "empty"),
        ({"action_type": "HOTKEY", "keys": "ctrl"}, "must be a list"),
        ({"action_type": "HOTKEY", "keys": []}, "names no key"),
        ({"action_type": "HOTKEY", "keys": [1]}, "names of keys"),
        ({"action_type": "DONE", "parameters": {"now": 1}}, "takes no now"),
        ({"action_type": "DONE", "parameters": [1]}, "expected a JSON object"),
        ({"action_type": "WAIT", "parameters": {}, "extra": 1}, "takes no extra"),
        (["WAIT"], "expected a JSON object"),
        (None, "expected a JSON object"),
    ],
)
def test_what_does_not_fit_is_refused(action: object, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason) as caught:
        decode(action)
    assert caught.value.raw


def test_answers() -> None:
    answer = 'I click.\n```json\n{"action_type": "CLICK", "x": 1, "y": 2}\n```\nand\n```\n["WAIT"]\n```\nDONE'
    decoded = decode_answer(answer)
    assert [bare(action) for action in decoded.actions] == [Click(at=Point(1, 2)), Wait(), Done()]
    assert decoded.thought.startswith("I click.")
    assert [bare(action) for action in decode_answer("FAIL").actions] == [Fail()]
    assert decode_answer("I do not know").actions == ()
    with pytest.raises(DecodeError, match="not JSON"):
        decode_answer("```json\n{'action_type': 'WAIT'}\n```")
    with pytest.raises(DecodeError):
        decode_answer("```json\n" + "[" * 100_000 + "\n```")


points = st.builds(Point, st.integers(0, 32767), st.integers(0, 32767))
keys = st.sampled_from(sorted(CANONICAL_NAMES) + sorted(PRINTABLE))
buttons = st.sampled_from(["left", "right", "middle"])
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Move, to=points),
    st.builds(Click, at=st.none() | points, button=buttons, count=st.integers(1, 3)),
    st.builds(MouseDown, button=buttons),
    st.builds(MouseUp, button=buttons),
    st.builds(Drag, path=st.tuples(points), duration=st.just(1.0)),
    st.builds(Scroll, dx=st.integers(-50, 50), dy=st.integers(-50, 50)),
    st.builds(Type, text=st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(Key, key=keys),
    st.builds(KeyDown, key=keys),
    st.builds(KeyUp, key=keys),
    st.builds(Hotkey, keys=st.lists(keys, min_size=1).map(tuple)),
    st.sampled_from([Wait(), Fail(), Done()]),
)


@given(actions)
def test_actions_come_back_as_they_were(action: Action) -> None:
    assert bare(decode(encode(action))) == action


@pytest.mark.parametrize(
    "action",
    [
        Move(to=P, duration=1),
        Click(button="back"),
        Click(modifiers=("ctrl",)),
        MouseDown(at=P),
        MouseDown(button="back"),
        Drag(path=(P,)),
        Drag(start=P, path=(P,), duration=1),
        Drag(path=(P, P), duration=1),
        Scroll(at=P),
        Scroll(dy=1, unit="pixels"),
        Type(text="a", interval=1),
        Key(key="a", presses=2),
        Key(key="KP_Enter"),
        Hotkey(keys=("ctrl", "é")),
        Wait(seconds=1),
        Done(answer="42"),
        Fail(reason="no"),
        Code(source="x"),
    ],
)
def test_what_the_thirteen_cannot_say_is_an_error(action: Action) -> None:
    with pytest.raises(EncodeError, match=f"computer_13 cannot express {action.kind}"):
        encode(action)
