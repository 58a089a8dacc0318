from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    Click,
    DecodedCall,
    DecodeError,
    Done,
    Drag,
    EncodeError,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    Move,
    Point,
    SafetyCheck,
    Screenshot,
    Scroll,
    Size,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.openai import OpenAITool, decode, decode_action, decode_call, encode
from trueline.actions.coordinates import Scale, same
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

SCALE = Scale(Size(1920, 1080), (1280, 720))
P = Point(150, 300)
XY = {"x": 100, "y": 200}

VOCABULARY: list[tuple[dict[str, object], list[Action]]] = [
    ({"type": "click", "button": "left", **XY}, [Click(at=P)]),
    ({"type": "click", **XY}, [Click(at=P)]),
    ({"type": "click", "button": "right", **XY}, [Click(at=P, button="right")]),
    ({"type": "click", "button": "wheel", **XY}, [Click(at=P, button="middle")]),
    ({"type": "click", "button": "back", **XY}, [Click(at=P, button="back")]),
    ({"type": "click", "button": "forward", **XY}, [Click(at=P, button="forward")]),
    ({"type": "click", "button": "left", **XY, "keys": ["CTRL", "SHIFT"]}, [Click(at=P, modifiers=("ctrl", "shift"))]),
    ({"type": "click", "button": "left", **XY, "keys": []}, [Click(at=P)]),
    ({"type": "click", "button": "left", **XY, "keys": None}, [Click(at=P)]),
    ({"type": "double_click", **XY}, [Click(at=P, count=2)]),
    ({"type": "double_click", **XY, "keys": ["ALT"]}, [Click(at=P, count=2, modifiers=("alt",))]),
    ({"type": "drag", "path": [{"x": 0, "y": 0}, XY]}, [Drag(start=Point(0, 0), path=(P,))]),
    ({"type": "drag", "path": [{"x": 0, "y": 0}, XY, XY], "keys": ["SHIFT"]},
     [Drag(start=Point(0, 0), path=(P, P), modifiers=("shift",))]),
    ({"type": "keypress", "keys": ["ENTER"]}, [Key(key="enter")]),
    ({"type": "keypress", "keys": ["CTRL", "L"]}, [Hotkey(keys=("ctrl", "l"))]),
    ({"type": "keypress", "keys": ["CMD", "ARROWLEFT"]}, [Hotkey(keys=("winleft", "left"))]),
    ({"type": "keypress", "keys": [" "]}, [Key(key="space")]),
    ({"type": "keypress", "keys": ["ESC"]}, [Key(key="esc")]),
    ({"type": "move", **XY}, [Move(to=P)]),
    ({"type": "move", **XY, "keys": ["CTRL", "ALT"]},
     [KeyDown(key="ctrl"), KeyDown(key="alt"), Move(to=P), KeyUp(key="alt"), KeyUp(key="ctrl")]),
    ({"type": "screenshot"}, [Screenshot()]),
    ({"type": "scroll", **XY, "scroll_x": 10, "scroll_y": 300}, [Scroll(at=P, dx=10, dy=300, unit="pixels")]),
    ({"type": "scroll", **XY, "scroll_x": 0, "scroll_y": -300, "keys": ["CTRL"]},
     [Scroll(at=P, dy=-300, unit="pixels", modifiers=("ctrl",))]),
    ({"type": "type", "text": "hé\n"}, [Type(text="hé\n")]),
    ({"type": "wait"}, [Wait()]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), VOCABULARY)
def test_every_action(data: dict[str, object], expected: list[Action]) -> None:
    assert [bare(action) for action in decode_action(data, SCALE)] == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({}, "type is missing"),
        ({"type": "jump"}, "unknown action 'jump'"),
        ({"type": "click", "button": "left", "x": 1}, "click needs y"),
        ({"type": "click", "button": "thumb", **XY}, "unknown button"),
        ({"type": "click", "button": "left", "x": 9999, "y": 0}, "outside"),
        ({"type": "click", **XY, "count": 2}, "click takes no count"),
        ({"type": "click", **XY, "keys": "CTRL"}, "must be a list"),
        ({"type": "drag", "path": [XY]}, "two points"),
        ({"type": "drag", "path": [XY, {"x": 1}]}, "must be a number"),
        ({"type": "drag", "path": 5}, "must be a list"),
        ({"type": "keypress", "keys": []}, "names no key"),
        ({"type": "keypress", "keys": [5]}, "names of keys"),
        ({"type": "scroll", **XY, "scroll_y": 1.5}, "whole number"),
        ({"type": "type"}, "type needs text"),
        ("click", "expected a JSON object"),
    ],
)
def test_what_does_not_fit_is_refused(data: object, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        decode_action(data, SCALE)


def test_a_call_of_the_preview_tool_keeps_its_safety_checks() -> None:
    item = {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "call_1",
        "status": "completed",
        "action": {"type": "screenshot"},
        "pending_safety_checks": [{"id": "sc_1", "code": "malicious_instructions", "message": "Look."}, {"id": "sc_2"}],
    }
    assert decode_call(item, SCALE) == DecodedCall(
        "call_1",
        (Screenshot(raw='{"type": "screenshot"}'),),
        (SafetyCheck("sc_1", "malicious_instructions", "Look."), SafetyCheck("sc_2")),
    )


def test_a_call_of_the_newer_tool_carries_several_actions() -> None:
    actions = [{"type": "click", "button": "left", **XY}, {"type": "type", "text": "a"}]
    call = decode_call({"type": "computer_call", "call_id": "c", "actions": actions, "action": None}, SCALE)
    assert [bare(action) for action in call.actions] == [Click(at=P), Type(text="a")]
    assert call.safety_checks == ()
    both = {"type": "computer_call", "call_id": "c", "actions": actions[:1], "action": actions[0]}
    assert len(decode_call(both, SCALE).actions) == 1


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"call_id": "c"}, "no action"),
        ({"call_id": "c", "actions": []}, "no action"),
        ({"action": {"type": "wait"}}, "call_id is missing"),
        ({"call_id": "c", "action": {"type": "wait"}, "actions": [{"type": "screenshot"}]}, "disagree"),
        ({"call_id": "c", "action": {"type": "wait"}, "pending_safety_checks": [{"code": "x"}]}, "id is missing"),
        ({"call_id": "c", "actions": [{"type": "wait"}, {"type": "jump"}]}, "unknown action"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(item: dict[str, object], reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        decode_call(item, SCALE)


def test_a_whole_response() -> None:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "look"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Clicking."}]},
        {"type": "computer_call", "call_id": "a", "action": {"type": "wait"}, "pending_safety_checks": []},
        {"type": "computer_call", "call_id": "b", "actions": [{"type": "screenshot"}]},
        {"type": "function_call", "name": "other"},
    ]
    decoded = decode(output, SCALE)
    assert (decoded.thought, decoded.text) == ("look", "Clicking.")
    assert [call.id for call in decoded.calls] == ["a", "b"]
    assert [bare(action) for action in decoded.actions] == [Wait(), Screenshot()]
    assert decode([{"type": "message", "content": "odd"}], SCALE).actions == ()


SCREEN = Size(1920, 1080)
points = st.builds(Point, st.integers(0, 1919), st.integers(0, 1079))
capitals = set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
keys = st.sampled_from(sorted((CANONICAL_NAMES - {"command", "option", "optionright"}) | (PRINTABLE - capitals)))
held = st.lists(keys, max_size=2).map(tuple)
scrolls = st.integers(-2000, 2000)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, at=points, button=st.sampled_from(["left", "right", "middle", "back", "forward"]), modifiers=held),
    st.builds(Click, at=points, count=st.just(2), modifiers=held),
    st.builds(Move, to=points),
    st.builds(Drag, start=points, path=st.lists(points, min_size=1, max_size=4).map(tuple), modifiers=held),
    st.builds(Scroll, at=points, dx=scrolls, dy=scrolls, unit=st.just("pixels"), modifiers=held),
    st.builds(Type, text=st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(Key, key=keys),
    st.builds(Hotkey, keys=st.lists(keys, min_size=2, max_size=3).map(tuple)),
    st.sampled_from([Wait(), Screenshot()]),
)


@given(actions)
def test_actions_come_back_as_they_were(action: Action) -> None:
    assert [bare(got) for got in decode_action(encode(action, "computer", same(SCREEN)), same(SCREEN))] == [action]


TOOLS: list[OpenAITool] = ["computer_use_preview", "computer"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "action",
    [
        Click(),
        Click(at=P, count=3),
        Click(at=P, count=2, button="right"),
        Move(to=P, duration=1),
        Drag(path=(P,)),
        Drag(start=P, path=(P,), button="right"),
        Scroll(at=P, dy=1),
        Scroll(dy=1, unit="pixels"),
        Key(key="a", presses=2),
        Key(key="A"),
        Type(text="a", interval=1),
        Wait(seconds=1),
        MouseDown(),
        Done(),
        Click(at=Point(5000, 0)),
    ],
)
def test_what_the_tool_cannot_say_is_an_error(action: Action, tool: OpenAITool) -> None:
    with pytest.raises(EncodeError, match=f"{tool} cannot express {action.kind}"):
        encode(action, tool, SCALE)


def test_a_name_that_no_table_knows_is_kept() -> None:
    assert encode(Key(key="Hyper_L"), "computer", SCALE) == {"type": "keypress", "keys": ["Hyper_L"]}


def test_only_the_newer_tool_holds_keys() -> None:
    click = Click(at=P, modifiers=("ctrl",))
    assert encode(click, "computer", SCALE) == {"type": "click", "button": "left", **XY, "keys": ["CTRL"]}
    with pytest.raises(EncodeError, match="cannot hold keys down"):
        encode(click, "computer_use_preview", SCALE)


def test_a_key_of_an_unknown_name_is_kept_and_noted() -> None:
    item: dict[str, object] = {
        "type": "computer_call",
        "call_id": "c",
        "action": {"type": "keypress", "keys": ["CTRL", "NoSuchKey"]},
    }
    decoded = decode([item], SCALE)
    assert [bare(action) for action in decoded.actions] == [Hotkey(keys=("ctrl", "NoSuchKey"))]
    assert decoded.note == "keys of an unknown name, kept as they are: 'NoSuchKey'"
