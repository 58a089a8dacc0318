from __future__ import annotations

import pytest

from trueline.actions import Action, Click, Code, Drag, Key, MouseDown, MouseUp, Move, Point, Scroll
from trueline.actions.codecs.pyautogui import decode
from trueline.actions.facts import facts, proposal_facts

A, B, C = Point(1, 2), Point(3, 4), Point(5, 6)


@pytest.mark.parametrize(
    ("action", "labels"),
    [
        (Click(at=A), ["click (1, 2)"]),
        (Click(at=A, count=2), ["double click (1, 2)"]),
        (Click(at=A, button="right"), ["right click (1, 2)"]),
        (Click(at=A, button="middle", count=3), ["triple middle click (1, 2)"]),
        (Click(), []),
        (Move(to=A), ["move (1, 2)"]),
        (Drag(start=A, path=(B, C)), ["drag start (1, 2)", "drag (3, 4)", "drag end (5, 6)"]),
        (Drag(path=(B,)), ["drag end (3, 4)"]),
        (MouseDown(at=A), ["mouse down (1, 2)"]),
        (MouseUp(at=A), ["mouse up (1, 2)"]),
        (Scroll(at=A, dy=5), ["scroll down 5 (1, 2)"]),
        (Scroll(at=A, dx=-2, dy=-1), ["scroll left 2 up 1 (1, 2)"]),
        (Key(key="a"), []),
    ],
)
def test_points_of_one_action(action: Action, labels: list[str]) -> None:
    assert [touch.label for touch in facts(action).touches] == labels
    assert all(touch.certain for touch in facts(action).touches)


def test_the_pointer_is_carried_over() -> None:
    actions: list[Action] = [Move(to=A), Click(), Key(key="a"), Drag(path=(B,)), MouseDown(), Scroll(dy=1)]
    assert [(touch.kind, touch.at) for touch in proposal_facts(actions).touches] == [
        ("move", A),
        ("click", A),
        ("drag start", A),
        ("drag end", B),
        ("mouse down", B),
        ("scroll", B),
    ]
    assert [touch.at for touch in proposal_facts([Click()], pointer=C).touches] == [C]
    assert proposal_facts([Move(to=A), Code(source="x()"), Click()]).touches[1:] == ()


def test_what_other_drawers_miss_is_there() -> None:
    calls = ["leftClick(x * 2, y=x + 1)", "tripleClick((5, 6))", "moveTo(7, 8)", "click()"]
    source = "\n".join(["x = 10", *(f"pyautogui.{call}" for call in calls)])
    labels = [touch.label for touch in proposal_facts(decode(source).actions).touches]
    assert labels == ["click (20, 11)", "triple click (5, 6)", "move (7, 8)", "click (7, 8)"]


def test_points_inside_a_program_are_not_certain() -> None:
    source = (
        "import pyautogui as pg\nfor i in range(3):\n    pg.click(10, 20)\n    pg.rightClick(i, 5)\npg.moveTo(1, 2)"
    )
    touches = facts(Code(source=source)).touches
    assert [touch.label for touch in touches] == ["click (10, 20)", "move (1, 2)"]
    assert not any(touch.certain for touch in touches)
