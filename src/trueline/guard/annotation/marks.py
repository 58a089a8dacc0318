"""What is to be drawn for a proposal: a numbered mark at each point, a line along each drag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueline.actions import Action, Point, Size
from trueline.actions.facts import Touch, proposal_facts
from trueline.text import printable

MOST_MARKS = 24
"""More would hide the screen; the rest is only described in the text."""
_LONGEST_LABEL = 48
_ENDS_PRESS = frozenset({"drag end", "mouse up"})
_STARTS_PRESS = frozenset({"drag start", "mouse down"})


@dataclass(frozen=True)
class ActionMark:
    """One point of the picture and what happens there."""

    number: int
    at: Point
    """In pixels of the picture, moved to its edge if the action points beyond it."""
    label: str
    """In coordinates of the screen, as the action has them."""
    gesture: int
    """Marks of one gesture share a colour."""
    certain: bool = True


@dataclass(frozen=True)
class Trail:
    """The path of a drag."""

    points: tuple[Point, ...]
    gesture: int


@dataclass(frozen=True)
class Sketch:
    """Everything to draw for a proposal."""

    marks: tuple[ActionMark, ...] = ()
    trails: tuple[Trail, ...] = ()
    left_out: int = 0
    """How many points are left out beyond `MOST_MARKS`."""


def sketch(actions: Sequence[Action], pointer: Point | None, screen: Size, picture: Size) -> Sketch:
    """Return what to draw for a proposal.

    Args:
        actions: The proposal's actions.
        pointer: Where the pointer is before the first of them, if that is known.
        screen: The size that the actions' coordinates are meant for.
        picture: The size of the picture that is drawn on.
    """
    marks: list[ActionMark] = []
    trails: list[Trail] = []
    pressed: list[Point] = []
    gesture, left_out = 0, 0
    for touch in proposal_facts(actions, pointer).touches:
        at = _into(touch.at, screen, picture)
        if touch.kind in _STARTS_PRESS:
            pressed = [at]
        elif pressed:
            pressed.append(at)
        if touch.kind != "drag":
            if len(marks) < MOST_MARKS:
                marks.append(ActionMark(len(marks) + 1, at, _label(touch, screen), gesture, touch.certain))
            else:
                left_out += 1
        if touch.kind in _ENDS_PRESS:
            if len(pressed) > 1:
                trails.append(Trail(tuple(pressed), gesture))
            pressed = []
        if not pressed:
            gesture += 1
    return Sketch(tuple(marks), tuple(trails[:MOST_MARKS]), left_out)


def _into(at: Point, screen: Size, picture: Size) -> Point:
    return Point(
        min(max(at.x * picture.width // screen.width, 0), picture.width - 1),
        min(max(at.y * picture.height // screen.height, 0), picture.height - 1),
    )


def _label(touch: Touch, screen: Size) -> str:
    inside = 0 <= touch.at.x < screen.width and 0 <= touch.at.y < screen.height
    words = ("" if touch.certain else "maybe ") + touch.label + ("" if inside else " off screen")
    return printable(words, limit=_LONGEST_LABEL)
