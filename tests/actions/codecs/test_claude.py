from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    CallUser,
    Click,
    Code,
    CursorPosition,
    DecodeError,
    Done,
    Drag,
    EncodeError,
    Fail,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
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
    bare,
)
from trueline.actions.codecs.claude import ClaudeTool, decode, decode_call, encode, tool_definition
from trueline.actions.coordinates import Scale, same
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

SCALE = Scale(Size(1920, 1080), (1280, 720))
P = Point(150, 300)  # [100, 200] on the declared display
XY: dict[str, object] = {"coordinate": [100, 200]}
OLD: ClaudeTool = "computer_20250124"
ZOOMING: ClaudeTool = "computer_20251124"
TOOLSET: ClaudeTool = "computer_toolset_20260801"
TOOLS: list[ClaudeTool] = [OLD, ZOOMING, TOOLSET]


def does(name: str, data: dict[str, object], tool: ClaudeTool) -> list[Action]:
    call = (name, data) if tool == TOOLSET else ("computer", {"action": name, **data})
    return [bare(action) for action in decode_call(*call, tool, SCALE)]


VOCABULARY: list[tuple[str, dict[str, object], list[Action]]] = [
    ("key", {"text": "Return"}, [Key(key="enter")]),
    ("key", {"text": "ctrl+s"}, [Hotkey(keys=("ctrl", "s"))]),
    ("key", {"text": "ctrl++"}, [Hotkey(keys=("ctrl", "+"))]),
    ("key", {"text": "super"}, [Key(key="winleft")]),
    ("key", {"text": "Down Down"}, [Key(key="down", presses=2)]),
    ("key", {"text": "ctrl+a Delete"}, [Hotkey(keys=("ctrl", "a")), Key(key="delete")]),
    ("key", {"text": "Page_Down"}, [Key(key="pagedown")]),
    ("key", {"text": " "}, [Key(key="space")]),
    ("hold_key", {"text": "shift+a", "duration": 1.5}, [HoldKey(keys=("shift", "a"), duration=1.5)]),
    ("type", {"text": "hé\n"}, [Type(text="hé\n")]),
    ("cursor_position", {}, [CursorPosition()]),
    ("mouse_move", XY, [Move(to=P)]),
    ("left_mouse_down", {}, [MouseDown()]),
    ("left_mouse_up", {}, [MouseUp()]),
    ("left_mouse_down", XY, [MouseDown(at=P)]),
    ("left_mouse_up", XY, [MouseUp(at=P)]),
    ("left_mouse_up", {"coordinate": "[100, 200]"}, [MouseUp(at=P)]),
    ("left_click", {"coordinate": "[100, 200]"}, [Click(at=P)]),
    ("double_click", {"coordinate": "(100, 200)"}, [Click(at=P, count=2)]),
    ("mouse_move", {"coordinate": " 100,200 "}, [Move(to=P)]),
    ("mouse_move", {"coordinate": "[100.0, 200.0]"}, [Move(to=P)]),
    ("scroll", {"coordinate": "[100, 200]", "scroll_direction": "down"}, [Scroll(at=P, dy=5)]),
    ("scroll", {"scroll_direction": "up"}, [Scroll(dy=-5)]),
    ("left_click", {}, [Click()]),
    ("left_click", XY, [Click(at=P)]),
    ("left_click", {**XY, "text": "ctrl+shift"}, [Click(at=P, modifiers=("ctrl", "shift"))]),
    ("left_click", {**XY, "text": ""}, [Click(at=P)]),
    ("left_click", {**XY, "text": None}, [Click(at=P)]),
    ("right_click", XY, [Click(at=P, button="right")]),
    ("middle_click", XY, [Click(at=P, button="middle")]),
    ("double_click", XY, [Click(at=P, count=2)]),
    ("triple_click", XY, [Click(at=P, count=3)]),
    ("left_click_drag", {"start_coordinate": [0, 0], **XY}, [Drag(start=Point(0, 0), path=(P,))]),
    (
        "left_click_drag",
        {"start_coordinate": [0, 0], **XY, "text": "alt"},
        [Drag(start=Point(0, 0), path=(P,), modifiers=("alt",))],
    ),
    ("scroll", {**XY, "scroll_direction": "down", "scroll_amount": 3}, [Scroll(at=P, dy=3)]),
    ("scroll", {"scroll_direction": "up", "scroll_amount": 3}, [Scroll(dy=-3)]),
    ("scroll", {**XY, "scroll_direction": "left", "scroll_amount": 2}, [Scroll(at=P, dx=-2)]),
    (
        "scroll",
        {**XY, "scroll_direction": "right", "scroll_amount": 2, "text": "shift"},
        [Scroll(at=P, dx=2, modifiers=("shift",))],
    ),
    ("wait", {"duration": 2.5}, [Wait(seconds=2.5)]),
    ("wait", {}, [Wait()]),
    ("screenshot", {}, [Screenshot()]),
]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("name", "data", "expected"), VOCABULARY)
def test_every_action_of_every_tool(
    name: str, data: dict[str, object], expected: list[Action], tool: ClaudeTool
) -> None:
    assert does(name, data, tool) == expected


@pytest.mark.parametrize("tool", [ZOOMING, TOOLSET])
def test_zoom(tool: ClaudeTool) -> None:
    zoom = Zoom(top_left=Point(0, 0), bottom_right=P)
    assert does("zoom", {"region": [0, 0, 100, 200]}, tool) == [zoom]
    with pytest.raises(DecodeError, match="unknown action 'zoom'"):
        does("zoom", {"region": [0, 0, 100, 200]}, OLD)
    with pytest.raises(EncodeError):
        encode(zoom, OLD, SCALE)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("left_press", XY, [MouseDown(at=P), Wait(seconds=1), MouseUp()]),
        ("done", {}, [Done()]),
        ("done", {"text": "42"}, [Done(answer="42")]),
        ("fail", {"text": "no"}, [Fail(reason="no")]),
        ("call_user", {}, [CallUser()]),
    ],
)
def test_what_osworld_adds_to_the_single_tools(name: str, data: dict[str, object], expected: list[Action]) -> None:
    assert does(name, data, OLD) == expected
    assert does(name, data, ZOOMING) == expected
    with pytest.raises(DecodeError, match="unknown action"):
        does(name, data, TOOLSET)


def test_the_toolset_repeats_keys_and_takes_any_case() -> None:
    assert does("key", {"text": "Down", "repeat": 4}, TOOLSET) == [Key(key="down", presses=4)]
    assert does("key", {"text": "ctrl+z", "repeat": 2}, TOOLSET) == [Hotkey(keys=("ctrl", "z"))] * 2
    assert does("key", {"text": "CTRL+S"}, TOOLSET) == [Hotkey(keys=("ctrl", "s"))]
    assert does("key", {"text": "A"}, OLD) == [Key(key="A")]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("jump", {}, "unknown action 'jump'"),
        ("mouse_move", {}, "mouse_move needs coordinate"),
        ("left_click", {"coordinate": [1]}, "two numbers"),
        ("left_click", {"coordinate": "[1, 2"}, "two numbers"),
        ("left_click", {"coordinate": "1 2 3"}, "two numbers"),
        ("left_click", {"coordinate": "[1281, 2]"}, "outside 0 to 1280"),
        ("left_click", {"coordinate": "the button"}, "two numbers"),
        ("left_click", {"coordinate": ["1", 2]}, "must be a number"),
        ("left_click", {"coordinate": [1281, 2]}, "outside 0 to 1280"),
        ("left_click", {"coordinate": [-1, 2]}, "outside"),
        ("left_click", {"coordinate": [float("nan"), 2]}, "not a usable number"),
        ("left_click", {"duration": 3}, "left_click takes no duration"),
        ("left_click", {"text": "ctrl++shift"}, "no key"),
        ("key", {}, "key needs text"),
        ("key", {"text": ""}, "no key"),
        ("key", {"text": "a", "repeat": 0}, "1 to 100"),
        ("key", {"text": "a", "repeat": 101}, "1 to 100"),
        ("key", {"text": "a " * 5000}, "more than 100 keys"),
        ("hold_key", {"text": "a"}, "hold_key needs duration"),
        ("hold_key", {"text": "a", "duration": -1}, "negative"),
        ("type", {"text": 5}, "must be a string"),
        ("scroll", {"scroll_direction": "sideways", "scroll_amount": 1}, "cannot scroll"),
        ("scroll", {"scroll_amount": 3}, "needs scroll_direction"),
        ("scroll", {"scroll_direction": "up", "scroll_amount": -1}, "cannot scroll"),
        ("zoom", {"region": [1, 2, 3]}, "x0, y0, x1, y1"),
        ("wait", {"duration": "long"}, "must be a number"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, data: dict[str, object], reason: str) -> None:
    with pytest.raises(DecodeError, match=reason) as caught:
        does(name, data, TOOLSET)
    assert name in caught.value.raw


def test_other_tools_are_refused() -> None:
    with pytest.raises(DecodeError, match="not the computer tool"):
        decode_call("bash", {"command": "ls"}, OLD, SCALE)
    with pytest.raises(DecodeError, match="unknown action 'bash'"):
        decode_call("bash", {}, TOOLSET, SCALE)


def test_a_whole_turn() -> None:
    content = [
        {"type": "thinking", "thinking": "look first", "signature": "x"},
        {"type": "text", "text": "I click and type."},
        {"type": "tool_use", "id": "a", "name": "left_click", "toolset_name": "computer", "input": XY},
        {"type": "tool_use", "id": "b", "name": "key", "toolset_name": "computer", "input": {"text": "ctrl+a Delete"}},
        {"type": "redacted_thinking", "data": "…"},
    ]
    decoded = decode(content, TOOLSET, SCALE)
    assert (decoded.thought, decoded.text) == ("look first", "I click and type.")
    assert [(call.id, len(call.actions)) for call in decoded.calls] == [("a", 1), ("b", 2)]
    assert decoded.actions == tuple(action for call in decoded.calls for action in call.actions)
    assert [bare(action) for action in decoded.actions] == [Click(at=P), Hotkey(keys=("ctrl", "a")), Key(key="delete")]
    assert decoded.actions[0].raw == '{"name": "left_click", "input": {"coordinate": [100, 200]}}'


def test_infeasible_is_a_fail_and_other_text_is_no_action() -> None:
    said = decode([{"type": "text", "text": "There is no such menu. [INFEASIBLE]"}], OLD, SCALE)
    assert [bare(action) for action in said.actions] == [Fail(reason="There is no such menu.")]
    assert decode([{"type": "text", "text": "All done."}], OLD, SCALE).actions == ()
    quoted = [
        {"type": "text", "text": "I could say [INFEASIBLE] but go on."},
        {"type": "tool_use", "id": "a", "name": "computer", "input": {"action": "screenshot"}},
    ]
    assert [bare(action) for action in decode(quoted, OLD, SCALE).actions] == [Screenshot()]


def test_one_bad_call_refuses_the_turn() -> None:
    content = [
        {"type": "tool_use", "id": "a", "name": "screenshot", "input": {}},
        {"type": "tool_use", "id": "b", "name": "left_click", "input": {"coordinate": [9999, 0]}},
    ]
    with pytest.raises(DecodeError):
        decode(content, TOOLSET, SCALE)


def test_tool_definitions() -> None:
    assert tool_definition(OLD, 1280, 720) == {
        "type": OLD,
        "name": "computer",
        "display_width_px": 1280,
        "display_height_px": 720,
    }
    assert tool_definition(ZOOMING, 1280, 720)["enable_zoom"] is True
    assert tool_definition(TOOLSET, 1280, 720) == {"type": TOOLSET}


SCREEN = Size(1920, 1080)
points = st.builds(Point, st.integers(0, 1919), st.integers(0, 1079))
capitals = set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
keys = st.sampled_from(sorted((CANONICAL_NAMES - {"command", "option", "optionright"}) | (PRINTABLE - capitals)))
combos = st.lists(keys, min_size=2, max_size=3).map(tuple)
held = st.lists(keys, max_size=2).map(tuple)
texts = st.text(st.characters(exclude_categories=["Cs"]))
common: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, at=st.none() | points, count=st.integers(1, 3), modifiers=held),
    st.builds(Click, at=points, button=st.sampled_from(["right", "middle"])),
    st.builds(Move, to=points),
    st.builds(Drag, start=points, path=st.tuples(points), modifiers=held),
    st.builds(MouseDown, at=st.none() | points),
    st.builds(MouseUp, at=st.none() | points),
    st.builds(Scroll, at=st.none() | points, dx=st.integers(-20, 20), modifiers=held),
    st.builds(Scroll, at=st.none() | points, dy=st.integers(-20, 20), modifiers=held),
    st.builds(Type, text=texts),
    st.builds(Key, key=keys, presses=st.integers(1, 100)),
    st.builds(Hotkey, keys=combos),
    st.builds(HoldKey, keys=combos, duration=st.floats(0, 100)),
    st.builds(Wait, seconds=st.none() | st.floats(0, 100)),
    st.sampled_from([Screenshot(), CursorPosition()]),
)
zooms = st.builds(Zoom, top_left=points, bottom_right=points)
ends = st.one_of(
    st.builds(Done, answer=st.none() | texts), st.builds(Fail, reason=st.none() | texts), st.builds(CallUser)
)


@given(
    st.tuples(st.just(OLD), common | ends)
    | st.tuples(st.just(ZOOMING), common | ends | zooms)
    | st.tuples(st.just(TOOLSET), common | zooms)
)
def test_actions_come_back_as_they_were(case: tuple[ClaudeTool, Action]) -> None:
    tool, action = case
    assert [bare(got) for got in decode_call(*encode(action, tool, same(SCREEN)), tool, same(SCREEN))] == [action]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "action",
    [
        Click(button="back"),
        Click(button="right", count=2),
        Click(count=2, interval=1),
        Move(to=P, duration=1),
        Drag(path=(P, P)),
        Drag(path=(P,), button="right"),
        Drag(path=(P,), duration=1),
        MouseDown(button="right"),
        Scroll(dx=1, dy=1),
        Scroll(dy=1, unit="pixels"),
        Type(text="a", interval=1),
        Key(key="a", interval=1),
        Key(key="a", presses=101),
        KeyDown(key="a"),
        Code(source="x"),
        Click(at=Point(5000, 0)),
    ],
)
def test_what_the_tool_cannot_say_is_an_error(action: Action, tool: ClaudeTool) -> None:
    with pytest.raises(EncodeError, match=f"{tool} cannot express {action.kind}"):
        encode(action, tool, SCALE)


def test_the_toolset_has_neither_ends_nor_capitals_nor_open_drags() -> None:
    actions: list[Action] = [
        *(Done(), Fail(), CallUser(), Drag(path=(P,))),
        *(Key(key="A"), Click(modifiers=("A",)), HoldKey(keys=("A",), duration=1)),
    ]
    for action in actions:
        with pytest.raises(EncodeError):
            encode(action, TOOLSET, SCALE)


@pytest.mark.parametrize(
    "data",
    [{"action": "key", "text": "ctrl+NoSuchKey"}, {"action": "left_click", "coordinate": [1, 2], "text": "NoSuchKey"}],
)
def test_a_key_of_an_unknown_name_is_kept_and_noted(data: dict[str, object]) -> None:
    decoded = decode([{"type": "tool_use", "id": "a", "name": "computer", "input": data}], OLD, SCALE)
    assert decoded.note == "keys of an unknown name, kept as they are: 'NoSuchKey'"
    known: dict[str, object] = {"action": "key", "text": "ctrl+Page_Down plus é"}
    assert decode([{"type": "tool_use", "id": "a", "name": "computer", "input": known}], OLD, SCALE).note == ""
