"""The points of the screen that an action touches."""

from __future__ import annotations

from typing import Literal, NamedTuple

from trueline.actions.types import Action, Click, Drag, MouseDown, MouseUp, Move, Point, Scroll

TouchKind = Literal["click", "move", "drag start", "drag", "drag end", "mouse down", "mouse up", "scroll"]
_TIMES = {1: "", 2: "double ", 3: "triple "}


class Touch(NamedTuple):
    """One point, and what happens there."""

    kind: TouchKind
    at: Point
    name: str
    """In words: `double click`, `right click`, `scroll down 5`."""
    certain: bool = True
    """False in a program that may never get there."""

    @property
    def label(self) -> str:
        """What to write beside the point: `click (810, 73)`."""
        return f"{self.name} ({self.at.x}, {self.at.y})"


def touches_of(action: Action, pointer: Point | None) -> tuple[Touch, ...]:
    """Return the points an action touches; `pointer` is where the pointer is before it, None when not known."""
    match action:
        case Click():
            button = "" if action.button == "left" else f"{action.button} "
            return _touch("click", action.at or pointer, f"{_TIMES[action.count]}{button}click")
        case Move():
            return _touch("move", action.to)
        case Drag():
            *through, end = action.path
            start = _touch("drag start", action.start or pointer)
            return (*start, *(Touch("drag", at, "drag") for at in through), *_touch("drag end", end))
        case MouseDown():
            return _touch("mouse down", action.at or pointer)
        case MouseUp():
            return _touch("mouse up", action.at or pointer)
        case Scroll():
            return _touch("scroll", action.at or pointer, f"scroll {_way(action)}")
        case _:
            return ()


def _touch(kind: TouchKind, at: Point | None, name: str = "") -> tuple[Touch, ...]:
    return (Touch(kind, at, name or kind),) if at else ()


def _way(action: Scroll) -> str:
    ways = (("right" if action.dx > 0 else "left", action.dx), ("down" if action.dy > 0 else "up", action.dy))
    return " ".join(f"{name} {abs(amount)}" for name, amount in ways if amount) or "0"
