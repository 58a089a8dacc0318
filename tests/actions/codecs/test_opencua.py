from __future__ import annotations

import pytest
from hypothesis import given, settings
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
    Move,
    Point,
    Screenshot,
    Scroll,
    Size,
    Type,
    Wait,
    bare,
)
from trueline.actions.codecs.opencua import Coordinates, decode, encode
from trueline.actions.keys import CANONICAL_NAMES, PRINTABLE

SCREEN = Size(1920, 1080)
P = Point(960, 270)


def does(code: str, coordinates: Coordinates = "relative") -> list[Action]:
    answer = f"## Action:\nact\n## Code:\n```python\n{code}\n```"
    return [bare(action) for action in decode(answer, SCREEN, coordinates).actions]


VOCABULARY: list[tuple[str, list[Action]]] = [
    ("pyautogui.click(x=0.5, y=0.25)", [Click(at=P)]),
    ("pyautogui.click(0.5, 0.25, button='right')", [Click(at=P, button="right")]),
    ("pyautogui.doubleClick(x=0.5, y=0.25)", [Click(at=P, count=2)]),
    (
        "pyautogui.moveTo(0.5, 0.25)\npyautogui.dragTo(x=1, y=1, button='left')",
        [Move(to=P), Drag(path=(Point(1919, 1079),))],
    ),
    ("pyautogui.scroll(-5)", [Scroll(dy=5)]),
    ("pyautogui.hscroll(3, x=0.5, y=0.25)", [Scroll(at=P, dx=3)]),
    ("pyautogui.write(message='hé')", [Type(text="hé")]),
    ("pyautogui.hotkey(['ctrl', 'c'])", [Hotkey(keys=("ctrl", "c"))]),
    ("pyautogui.press(keys=['enter'])", [Key(key="enter")]),
    ("import pyautogui\ntime.sleep(2)", [Wait(seconds=2)]),
    ("computer.triple_click(x=0.5, y=0.25)", [Click(at=P, count=3)]),
    ("computer.tripleClick(0.5, 0.25)", [Click(at=P, count=3)]),
    ("triple_click(0.5, 0.25)", [Click(at=P, count=3)]),
    ("pyautogui.tripleClick(0.5, 0.25)", [Click(at=P, count=3)]),
    ("computer.wait()", [Wait(seconds=20)]),
    ("computer.wait", [Wait(seconds=20)]),
    ("computer.wait(duration=3)", [Wait(seconds=3)]),
    ("computer.terminate(status='success')", [Done()]),
    ('computer.terminate(status="success", answer="42")', [Done(answer="42")]),
    ("computer.terminate('failure')", [Fail()]),
    ("computer.terminate(status='failure', answer='no such menu')", [Fail(reason="no such menu")]),
    ("pyautogui.press('a')\ncomputer.terminate(status='success')", [Key(key="a"), Done()]),
    ("DONE", [Done()]),
]


@pytest.mark.parametrize(("code", "expected"), VOCABULARY)
def test_every_function(code: str, expected: list[Action]) -> None:
    assert does(code) == expected


@pytest.mark.parametrize(
    ("coordinates", "point", "expected"),
    [
        ("relative", "0.5, 0.25", P),
        ("relative", "1, 1", Point(1919, 1079)),
        ("qwen25", "966, 273", P),
        ("qwen25", "0.5, 0.25", P),
        ("absolute", "960, 270", P),
        ("kimi", "960, 270", P),
        ("kimi", "0.5, 0.25", P),
        ("kimi", "1, 270", Point(1, 270)),
    ],
)
def test_kinds_of_coordinates(coordinates: Coordinates, point: str, expected: Point) -> None:
    assert does(f"pyautogui.click({point})", coordinates) == [Click(at=expected)]


def test_sections_and_the_last_block() -> None:
    answer = (
        "# Step 3:\n## Observation:\na window\n\n## Thought:\nhm\nwell\n\n## Action:\nClick OK.\n\n## Code:\n"
        "```python\npyautogui.click(0, 0)\n```\nbetter:\n```code\npyautogui.click(x=0.5, y=0.25)\n```\n"
    )
    decoded = decode(answer, SCREEN, "relative", reasoning="first")
    assert [bare(action) for action in decoded.actions] == [Click(at=P)]
    assert decoded.thought == "first\na window\nhm\nwell"
    assert decoded.text == "Click OK."
    plain = decode("Thought: hm\nAction: press\n```python\npyautogui.press('a')\n```", SCREEN, "kimi")
    assert (plain.thought, plain.text) == ("hm", "press")


def test_a_program_that_points_nowhere_may_stay_code() -> None:
    source = "for key in 'ab':\n    pyautogui.press(key)"
    decoded = decode(f"```python\n{source}\n```", SCREEN, "relative")
    assert decoded.actions == (Code(source=source, raw=source),)
    assert decoded.note


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no code block"),
        ("## Action:\nI am stuck.", "no code block"),
        ("```python\npyautogui.click(0.5, 0.5)", "no code block"),
        ("```python\nfor i in 'ab': pyautogui.click(0.5, 0.5)\n```", "cannot be mapped"),
        ("```python\nfrom pyautogui import click as c\nfor i in 'ab': c(0.5, 0.5)\n```", "cannot be mapped"),
        ("```python\npyautogui.click(0.5, 0.5\n```", "cannot be mapped"),
        ("```python\npyautogui.click(1.5, 0.5)\n```", "outside 0 to 1"),
        ("```python\npyautogui.moveTo(0.5, 0.5)\npyautogui.move(0.1, 0.1)\n```", "cannot be mapped"),
        ("```python\ncomputer.terminate(status='maybe')\n```", "success or failure"),
        ("```python\ncomputer.terminate()\n```", "success or failure"),
        ("```python\ncomputer.terminate('success', 'a', 'b')\n```", "does not take these arguments"),
        ("```python\ncomputer.terminate('success', status='failure')\n```", "does not take these arguments"),
        ("```python\ncomputer.wait(1, 2)\n```", "does not take these arguments"),
        ("```python\ncomputer.explode()\n```", "cannot be mapped"),
        ("```python\nif computer.wait(): pass\n```", "cannot be mapped"),
    ],
)
def test_what_cannot_be_understood_is_refused(answer: str, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason) as caught:
        decode(answer, SCREEN, "relative")
    assert caught.value.raw == answer


points = st.builds(Point, st.integers(0, 1919), st.integers(0, 1079))
keys = st.sampled_from(sorted(CANONICAL_NAMES) + sorted(PRINTABLE))
pause = {"pause_after": st.just(0.1)}
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(
        Click, at=st.none() | points, count=st.integers(1, 3), modifiers=st.lists(keys, max_size=1).map(tuple), **pause
    ),
    st.builds(Move, to=points, **pause),
    st.builds(Scroll, at=st.none() | points, dy=st.integers(1, 50), **pause),
    st.builds(Type, text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="`")), **pause),
    st.builds(Key, key=keys, **pause),
    st.builds(Hotkey, keys=st.lists(keys, min_size=1, max_size=3).map(tuple), **pause),
)


@settings(deadline=None)
@given(st.lists(actions, min_size=1, max_size=4), st.sampled_from(["relative", "qwen25", "absolute", "kimi"]))
def test_actions_come_back_as_they_were(wanted: list[Action], coordinates: Coordinates) -> None:
    answer = f"```python\n{encode(wanted, SCREEN, coordinates)}\n```"
    assert [bare(action) for action in decode(answer, SCREEN, coordinates).actions] == [
        bare(action) for action in wanted
    ]


def test_a_corner_is_not_taken_for_fractions() -> None:
    corner = [Click(at=Point(1, 1))]
    assert does(encode(corner, SCREEN, "qwen25"), "qwen25") == corner


@pytest.mark.parametrize("end", [Done(), Done(answer="it's"), Fail(), Fail(reason='"no"'), Wait(seconds=20)])
def test_ends_come_back_as_they_were(end: Action) -> None:
    assert does(encode([end], SCREEN, "relative")) == [end]


@pytest.mark.parametrize(
    "action", [Screenshot(), Wait(), Fail(refused=True), Click(button="back"), Click(at=Point(5000, 0))]
)
def test_what_the_model_has_no_words_for_is_an_error(action: Action) -> None:
    with pytest.raises(EncodeError):
        encode([action], SCREEN, "relative")
