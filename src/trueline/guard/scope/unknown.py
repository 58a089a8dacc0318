"""What a proposal leaves unknown: no evidence of harm, but noted, so that nobody takes silence for a check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trueline.actions.facts.touch_points import touches_of
from trueline.actions.types import Action, Point
from trueline.guard.policy.operations import Operation, Ran, Typed, Unclear
from trueline.guard.policy.screen.view import View

_PRESSES = frozenset({"click", "drag start", "drag end", "mouse down", "mouse up"})


def unknown_of(operations: Iterable[Operation], actions: Sequence[Action], view: View) -> tuple[str, ...]:
    """Say what cannot be seen from here, without duplicates.

    Args:
        operations: What the proposal does, as far as it was read.
        actions: Its actions.
        view: The screen on which it would run.
    """
    return tuple(dict.fromkeys((*_elements(actions, view), *_others(operations))))


def _elements(actions: Sequence[Action], view: View) -> Iterator[str]:
    """Which presses hit something that the tree does not name."""
    pointer: Point | None = None
    for action in actions:
        for touch in touches_of(action, pointer):
            pointer = touch.at
            if touch.kind in _PRESSES and view.is_bare(touch.at) and not view.written(touch.at):
                yield f"which element lies at {touch.at.x},{touch.at.y}"


def _others(operations: Iterable[Operation]) -> Iterator[str]:
    for operation in operations:
        match operation:
            case Unclear():
                yield operation.why
            case Ran(unseen=True):
                yield "whether a terminal has the keyboard"
            case Typed(into=None):
                yield "what has the keyboard"
            case _:
                pass
