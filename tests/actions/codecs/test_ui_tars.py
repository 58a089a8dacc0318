from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    CallUser,
    Click,
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
    Screenshot,
    Scroll,
    Size,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.ui_tars import Style, decode, encode, scale
from trueline.actions.coordinates import same
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

SCREEN = Size(1920, 1080)
ABSOLUTE = scale(SCREEN)  # the picture is resized to 1932x1092
THOUSANDTHS = scale(SCREEN, "thousandths")
P = Point(99, 198)  # (100, 200) of the resized picture


def does(actions: str) -> list[Action]:
    return [bare(action) for action in decode(f"Thought: I act.\nAction: {actions}", ABSOLUTE).actions]


VOCABULARY: list[tuple[str, Action]] = [
    ("click(point='<point>100 200</point>')", Click(at=P)),
    ("click(start_box='<|box_start|>(100,200)<|box_end|>')", Click(at=P)),
    ("click(start_box='(100,200)')", Click(at=P)),
    ('click(start_box="(100, 200)")', Click(at=P)),
    ("click(start_box='[90, 190, 110, 210]')", Click(at=P)),
    ("click(point='<bbox>90 190 110 210</bbox>')", Click(at=P)),
    ("left_single(point='<point>100 200</point>')", Click(at=P)),
    ("left_double(point='<point>100 200</point>')", Click(at=P, count=2)),
    ("right_single(point='<point>100 200</point>')", Click(at=P, button="right")),
    ("hover(point='<point>100 200</point>')", Move(to=P)),
    ("move_to(point='<point>100 200</point>')", Move(to=P)),
    ("mouse_down(point='<point>100 200</point>')", MouseDown(at=P)),
    ("mouse_up()", MouseUp()),
    ("drag(start_point='<point>0 0</point>', end_point='<point>100 200</point>')", Drag(start=Point(0, 0), path=(P,))),
    ("drag(start_box='(0,0)', end_box='(100,200)')", Drag(start=Point(0, 0), path=(P,))),
    ("select(start_box='(0,0)', end_box='(100,200)')", Drag(start=Point(0, 0), path=(P,))),
    ("hotkey(key='ctrl c')", Hotkey(keys=("ctrl", "c"))),
    ("hotkey(key='ctrl+shift+t')", Hotkey(keys=("ctrl", "shift", "t"))),
    ("hotkey(hotkey='enter')", Key(key="enter")),
    ("hotkey(key='page down')", Key(key="pagedown")),
    ("hotkey(key='ctrl Page Up')", Hotkey(keys=("ctrl", "pageup"))),
    ("hotkey(key='shift+page down')", Hotkey(keys=("shift", "pagedown"))),
    ("hotkey(key='caps lock')", Key(key="capslock")),
    ("hotkey(key='alt left arrow')", Hotkey(keys=("alt", "left"))),
    ("hotkey(key='up down')", Hotkey(keys=("up", "down"))),
    ("press(key='page up')", KeyDown(key="pageup")),
    ("hotkey(key='arrowleft')", Key(key="left")),
    ("press(key='shift')", KeyDown(key="shift")),
    ("keydown(key='shift')", KeyDown(key="shift")),
    ("release(key='shift')", KeyUp(key="shift")),
    ("keyup(key='shift')", KeyUp(key="shift")),
    ("type(content='hé')", Type(text="hé")),
    ("type(content='ls -l\\n')", Type(text="ls -l\n")),
    (r"type(content='it\'s \"x\" \\n a\\tb')", Type(text='it\'s "x" \\n a\\tb')),
    ("type(content='it's fine')", Type(text="it's fine")),
    ("type(content='print('hi')')", Type(text="print('hi')")),
    ("type(content='a, b=2')", Type(text="a, b=2")),
    ("type(content='two\nlines')", Type(text="two\nlines")),
    ("type(content='')", Type(text="")),
    (r"type(content='C:\dir')", Type(text=r"C:\dir")),
    ("scroll(point='<point>100 200</point>', direction='down')", Scroll(at=P, dy=5)),
    ("scroll(direction='up', point='<point>100 200</point>')", Scroll(at=P, dy=-5)),
    ("scroll(start_box='(100,200)', direction='left')", Scroll(at=P, dx=-5)),
    ("scroll(direction='right')", Scroll(dx=5)),
    ("wait()", Wait(seconds=5)),
    ("finished()", Done()),
    ("finished(content='the answer is 42')", Done(answer="the answer is 42")),
    ("call_user()", CallUser()),
    ("call_user(content='which file?')", CallUser(message="which file?")),
]


@pytest.mark.parametrize(("text", "expected"), VOCABULARY)
def test_every_action(text: str, expected: Action) -> None:
    assert does(text) == [expected]


def test_several_actions() -> None:
    expected = [Click(at=P), Type(text="a\n"), Wait(seconds=5)]
    calls = ["click(point='<point>100 200</point>')", r"type(content='a\n')", "wait()"]
    assert does("\n\n".join(calls)) == expected
    assert does("\n".join(calls)) == expected
    assert does("\nAction: ".join(calls)) == expected


def test_the_parts_of_an_answer() -> None:
    answer = "<think>hm, well</think>\nThought: I click OK.\nIt is there.\nAction: click(start_box='(100,200)')[EOS]"
    decoded = decode(answer, ABSOLUTE)
    assert " ".join(decoded.thought.split()) == "hm, well I click OK. It is there."
    assert decoded.actions[0].raw == "click(start_box='(100,200)')"
    other = decode("Reflection: it failed\nAction_Summary: again\nAction: wait()", ABSOLUTE)
    assert " ".join(other.thought.split()) == "it failed again"


def test_what_is_typed_is_not_an_action() -> None:
    answer = "Thought: Action: is a word\nAction: type(content='x\nAction: click(start_box='(1,1)')')"
    assert [action.kind for action in decode(answer, ABSOLUTE).actions] == ["type"]


def test_the_older_space_is_thousandths() -> None:
    (action,) = decode("Action: click(start_box='(500,1000)')", THOUSANDTHS).actions
    assert bare(action) == Click(at=Point(960, 1079))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no action"),
        ("I would rather not.", "no action"),
        ("Thought: hm\nAction: I click it", "no action"),
        ("Thought: hm\nAction:", "no action"),
        ("Action: jump()", "jump is not an action"),
        ("Action: click()", "click needs point"),
        ("Action: click(point='here')", "cannot go to 'here'"),
        ("Action: click(point='<point>1 2 3</point>')", "cannot go to"),
        ("Action: click(point='<point>1 nan</point>')", "cannot go to"),
        ("Action: click(point='<point>5000 2</point>')", "outside 0 to 1932"),
        ("Action: click(point='<point>-1 2</point>')", "outside"),
        ("Action: click(start_box='(1,2)', speed='3')", "takes no speed"),
        ("Action: click(start_box='(1,2)', start_box='(1,2)')", "expected an argument"),
        ("Action: click(start_box=(1,2))", "expected an argument"),
        ("Action: click(start_box='(1,2)'", "does not end"),
        ("Action: click(start_box='(1,2)') and more", "does not end"),
        ("Action: wait()\nthen I stop", "expected an action"),
        ("Action: scroll(direction='sideways')", "no direction 'sideways'"),
        ("Action: hotkey(key='')", "names no key"),
        ("Action: press(key='a b')", "one key"),
        ("Action: drag(start_box='(1,2)')", "needs end_point"),
        ("Action: type()", "needs content"),
        ("Action: wait()\nclick(point='<point>9999 2</point>')", "outside"),
    ],
)
def test_what_cannot_be_understood_is_refused_whole(answer: str, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason) as caught:
        decode(answer, ABSOLUTE)
    assert caught.value.raw == answer


points = st.builds(Point, st.integers(0, 1919), st.integers(0, 1079))
keys = st.sampled_from(sorted(CANONICAL_NAMES - {"command", "option", "optionright"}) + sorted(PRINTABLE))
texts = st.text(st.characters(exclude_categories=["Cs"]))
some_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, at=points, count=st.integers(1, 2)),
    st.builds(Click, at=points, button=st.just("right")),
    st.builds(Move, to=points),
    st.builds(MouseDown, at=st.none() | points),
    st.builds(MouseUp, at=st.none() | points),
    st.builds(Drag, start=points, path=st.tuples(points)),
    st.builds(Scroll, at=st.none() | points, dx=st.sampled_from([-5, 5])),
    st.builds(Scroll, at=st.none() | points, dy=st.sampled_from([-5, 5])),
    st.builds(Type, text=texts | st.text("'\"\\n)(=, \n\r\t")),
    st.builds(Key, key=keys),
    st.builds(Hotkey, keys=st.lists(keys, min_size=2, max_size=3).map(tuple)),
    st.builds(KeyDown, key=keys),
    st.builds(KeyUp, key=keys),
    st.just(Wait(seconds=5)),
    st.builds(Done, answer=st.none() | some_text),
    st.builds(CallUser, message=st.none() | some_text),
)


@settings(deadline=None)
@given(st.lists(actions, min_size=1, max_size=4), st.sampled_from(["point", "box"]))
def test_actions_come_back_as_they_were(wanted: list[Action], style: Style) -> None:
    text = "\n\n".join(encode(action, same(SCREEN), style) for action in wanted)
    decoded = decode(f"Thought: x\nAction: {text}", same(SCREEN))
    assert [bare(action) for action in decoded.actions] == wanted


@pytest.mark.parametrize(
    "action",
    [
        Click(),
        Click(at=P, count=3),
        Click(at=P, button="middle"),
        Click(at=P, modifiers=("ctrl",)),
        Move(to=P, duration=1),
        MouseDown(button="right"),
        Drag(path=(P,)),
        Drag(start=P, path=(P, P)),
        Scroll(dy=3),
        Scroll(dx=5, dy=5),
        Key(key="a", presses=2),
        Wait(),
        Wait(seconds=1),
        Fail(),
        Screenshot(),
        Click(at=Point(5000, 0)),
    ],
)
def test_what_the_model_has_no_words_for_is_an_error(action: Action) -> None:
    with pytest.raises(EncodeError, match=f"UI-TARS cannot express {action.kind}"):
        encode(action, ABSOLUTE)


def test_a_key_of_an_unknown_name_is_kept_and_noted() -> None:
    decoded = decode("Action: hotkey(key='ctrl page')", ABSOLUTE)
    assert [bare(action) for action in decoded.actions] == [Hotkey(keys=("ctrl", "page"))]
    assert decoded.note == "keys of an unknown name, kept as they are: 'page'"
