from __future__ import annotations

import pytest

from trueline.actions import Action, Click, Code, Drag, Move, Point, Scroll, Type
from trueline.actions.pointer import pointer_after

HERE, THERE = Point(1, 1), Point(7, 8)


@pytest.mark.parametrize(
    ("action", "after"),
    [
        (Move(to=THERE), THERE),
        (Click(at=THERE), THERE),
        (Click(), HERE),
        (Click(at=Point(0, 0)), Point(0, 0)),
        (Drag(path=(HERE, THERE)), THERE),
        (Scroll(dy=1), HERE),
        (Type(text="a"), HERE),
        (Code(source="x()"), None),
    ],
)
def test_where_the_pointer_is(action: Action, after: Point | None) -> None:
    assert pointer_after(action, HERE) == after
