"""Where the pointer is after an action."""

from __future__ import annotations

from trueline.actions.types import Action, Click, Code, Drag, MouseDown, MouseUp, Move, Point, Scroll


def pointer_after(action: Action, before: Point | None) -> Point | None:
    """Return where the pointer is after the action; None when that is not known."""
    match action:
        case Move():
            return action.to
        case Drag():
            return action.path[-1]
        case Click() | MouseDown() | MouseUp() | Scroll():
            return action.at or before
        case Code():
            return None
        case _:
            return before
