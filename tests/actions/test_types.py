from __future__ import annotations

import pytest
from pydantic import ValidationError

from trueline.actions import ACTION, Click, Drag, Point, Type, Wait, bare


def test_an_action_survives_json() -> None:
    action = Click(at=Point(3, 4), button="right", count=2, modifiers=("ctrl",), raw="x", pause_after=0.5)
    assert ACTION.validate_json(ACTION.dump_json(action)) == action


def test_bare_leaves_what_the_action_does() -> None:
    assert bare(Type(text="a", raw="write('a')", pause_after=0.1)) == Type(text="a")
    assert bare(Type(text="a", interval=0.1)) != Type(text="a")


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "click", "count": 4},
        {"kind": "wait", "seconds": -1},
        {"kind": "wait", "seconds": float("nan")},
        {"kind": "drag", "path": []},
        {"kind": "click", "pause_after": -1},
        {"kind": "no_such_action"},
        {"kind": "type", "text": "a", "colour": "red"},
    ],
)
def test_nonsense_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ACTION.validate_python(data)


def test_actions_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Wait().seconds = 3  # pyright: ignore[reportAttributeAccessIssue]  (that it cannot be set is what is tested)


def test_points_are_named() -> None:
    drag = Drag(path=(Point(1, 2), Point(3, 4)))
    assert drag.path[-1].y == 4
