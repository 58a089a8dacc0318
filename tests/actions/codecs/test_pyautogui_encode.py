from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import (
    Action,
    CallUser,
    Click,
    Code,
    CursorPosition,
    Done,
    Drag,
    EncodeError,
    Fail,
    HoldKey,
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
    Type,
    Wait,
    Zoom,
)
from trueline.actions.codecs.pyautogui import decode, encode
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

OSWORLD_PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "

points = st.builds(Point, st.integers(-100, 32767), st.integers(-100, 32767))
keys = st.sampled_from(sorted(CANONICAL_NAMES) + sorted(PRINTABLE))
several_keys = st.lists(keys, min_size=1, max_size=3).map(tuple)
modifiers = st.lists(keys, max_size=2).map(tuple)
seconds = st.floats(0, 1e6, allow_nan=False) | st.sampled_from([0.0, 0.1, 0.5])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
buttons = st.sampled_from(["left", "middle", "right"])
pause = {"pause_after": seconds}

# Actions that pyautogui has one construct for: they come back as they were.
direct: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, at=st.none() | points, button=buttons, count=st.integers(1, 3), interval=seconds, **pause),
    st.builds(Click, at=st.none() | points, button=buttons, modifiers=modifiers, **pause),
    st.builds(Move, to=points, duration=seconds, **pause),
    st.builds(Drag, path=st.tuples(points), button=buttons, modifiers=modifiers, duration=seconds, **pause),
    st.builds(MouseDown, at=st.none() | points, button=buttons, **pause),
    st.builds(MouseUp, at=st.none() | points, button=buttons, **pause),
    st.builds(Scroll, at=st.none() | points, dy=st.integers(1, 9999), modifiers=modifiers, **pause),
    st.builds(Scroll, at=st.none() | points, dx=st.integers(-9999, -1), modifiers=modifiers, **pause),
    st.builds(Type, text=texts, interval=seconds, **pause),
    st.builds(Key, key=keys, presses=st.integers(1, 1000), interval=seconds, **pause),
    st.builds(Hotkey, keys=several_keys, **pause),
    st.builds(KeyDown, key=keys, **pause),
    st.builds(KeyUp, key=keys, **pause),
    st.builds(HoldKey, keys=several_keys, duration=seconds),
    st.builds(Wait, seconds=st.none() | seconds),
    st.just(Done()),
    st.just(Fail()),
    st.just(Code(source="for i in 'ab':\n    print(i)")),
)  # fmt: skip
# Actions that need several calls: they come back as others that do the same.
composed: st.SearchStrategy[Action] = st.one_of(
    st.builds(
        Drag, start=points, path=st.lists(points, min_size=1, max_size=3).map(tuple), modifiers=modifiers, **pause
    ),
    st.builds(Scroll, at=points, dx=st.integers(1, 3), dy=st.integers(-3, -1), modifiers=modifiers, **pause),
    st.builds(Wait, seconds=seconds, **pause),
    st.builds(HoldKey, keys=several_keys, duration=seconds, **pause),
)


def back(actions: list[Action]) -> list[Action]:
    decoded = [action for string in encode(actions, for_record=True) for action in decode(string).actions]
    return [action.model_copy(update={"raw": ""}) for action in decoded]


@settings(deadline=None)
@given(st.lists(direct, max_size=6))
def test_actions_come_back_as_they_were(actions: list[Action]) -> None:
    assert back(actions) == actions


@settings(deadline=None)
@given(st.lists(direct | composed, max_size=6))
def test_actions_come_back_doing_the_same(actions: list[Action]) -> None:
    assert events(back(actions)) == events(actions)


@settings(deadline=None)
@given(st.lists(direct | composed, max_size=6))
def test_every_program_runs_behind_the_prefix_of_osworld(actions: list[Action]) -> None:
    for string in encode(actions, for_record=True):
        if string not in ("WAIT", "DONE", "FAIL") and not string.startswith("for"):
            ast.parse(OSWORLD_PREFIX + string)


def events(actions: list[Action]) -> list[tuple[object, ...]]:
    """What the desktop sees: keys and buttons going down and up, and where the pointer is."""
    out: list[tuple[object, ...]] = []
    for action in actions:
        held = action.modifiers if isinstance(action, Click | Drag | Scroll) else ()
        out += [("down", key) for key in held]
        out += _events(action)
        out += [("up", key) for key in held]
    return out


def _events(action: Action) -> list[tuple[object, ...]]:
    match action:
        case Click():
            where = [("at", action.at)] if action.at else []
            return [*where, *([("down", action.button), ("up", action.button)] * action.count)]
        case Move():
            return [("at", action.to)]
        case Drag():
            start = [("at", action.start)] if action.start else []
            path = [("at", point) for point in action.path]
            return [*start, ("down", action.button), *path, ("up", action.button)]
        case MouseDown() | MouseUp():
            where = [("at", action.at)] if action.at else []
            return [*where, ("down" if isinstance(action, MouseDown) else "up", action.button)]
        case Scroll():
            # Each wheel goes to the point first; going there twice changes nothing.
            where = [("at", action.at)] if action.at else []
            wheels = [("wheel", axis, amount) for axis, amount in (("x", action.dx), ("y", action.dy)) if amount]
            return [event for wheel in wheels for event in (*where, wheel)]
        case Key():
            return [("down", action.key), ("up", action.key)] * action.presses
        case Hotkey():
            return [*(("down", key) for key in action.keys), *(("up", key) for key in reversed(action.keys))]
        case KeyDown() | KeyUp():
            return [("down" if isinstance(action, KeyDown) else "up", action.key)]
        case HoldKey():
            return [*(("down", key) for key in action.keys), *(("up", key) for key in action.keys)]
        case Wait(seconds=float()):
            return []
        case _:
            return [(action.model_copy(update={"raw": "", "pause_after": 0.0}),)]


def test_text_is_safe_whatever_it_holds() -> None:
    nasty = "'\"\\\n\r\t# ; ''' \"\"\" é 中 \u2028 \x00 \x1b {x} %s"
    (string,) = encode([Type(text=nasty)], for_record=True)
    (action,) = decode(string).actions
    assert isinstance(action, Type) and action.text == nasty


def test_text_that_pyautogui_would_leave_out_is_for_the_record_only() -> None:
    typed = Type(text="caf\u00e9 日本日")
    with pytest.raises(EncodeError, match="pyautogui cannot type 'é', '日', '本'"):
        encode([typed])
    assert encode([typed], for_record=True)[0].endswith("pyautogui.write('caf\u00e9 日本日')")


def test_everything_on_the_keyboard_is_typed() -> None:
    text = "".join(sorted(PRINTABLE)) + " \t\n\r"
    (string,) = encode([Type(text=text)])
    (action,) = decode(string).actions
    assert isinstance(action, Type) and action.text == text


def test_the_default_pause_needs_no_words() -> None:
    assert encode([Click(at=Point(1, 2), pause_after=0.1)]) == ("import pyautogui\npyautogui.click(1, 2)",)
    (string,) = encode([Click(at=Point(1, 2)), Key(key="a"), Key(key="b", pause_after=2)])
    assert string.splitlines() == [
        "import pyautogui",
        "pyautogui.PAUSE = 0.0",
        "pyautogui.click(1, 2)",
        "pyautogui.press('a')",
        "pyautogui.PAUSE = 2.0",
        "pyautogui.press('b')",
    ]


def test_special_codes_and_code_stand_alone() -> None:
    actions: list[Action] = [Key(key="a"), Wait(), Key(key="b"), Code(source="x()"), Done()]
    a, wait, b, code, done = encode(actions)
    assert (wait, code, done) == ("WAIT", "x()", "DONE")
    assert a.endswith("press('a')") and b.endswith("press('b')")


@pytest.mark.parametrize(
    "action",
    [
        Screenshot(),
        Zoom(top_left=Point(0, 0), bottom_right=Point(1, 1)),
        CursorPosition(),
        CallUser(message="help"),
        Click(button="back"),
        MouseDown(button="forward"),
        Drag(path=(Point(1, 1),), button="back"),
        Scroll(dy=5, unit="pixels"),
        Scroll(at=Point(1, 1)),
        Type(text="日本"),
        Type(text="caf\u00e9"),
        Type(text="\x00"),
        Key(key="KP_Enter"),
        Key(key="é"),
        Hotkey(keys=("ctrl", "no_such_key")),
        Click(modifiers=("Hyper_L",)),
        HoldKey(keys=("é",), duration=1),
        Done(answer="42"),
        Fail(reason="no"),
        Fail(refused=True),
        Code(source="ls", language="bash"),
    ],
)
def test_what_pyautogui_cannot_say_is_an_error_that_names_it(action: Action) -> None:
    with pytest.raises(EncodeError, match=f"pyautogui cannot express {action.kind}: ") as caught:
        encode([Key(key="a"), action])
    assert caught.value.action == action
