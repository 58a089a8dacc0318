"""The effect that is certain from an action alone. What a click or a key does depends on what it hits: unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from trueline.actions.types import Action, CallUser, CursorPosition, Done, Fail, Move, Screenshot, Wait, Zoom

Effect = Literal["none", "reversible", "irreversible", "egress", "privilege", "ends-episode", "unknown"]
"""The guard refines `unknown` with the screen; the classes between are never certain from an action alone."""


def effect_of(action: Action) -> Effect:
    """Return the effect of one action by itself."""
    match action:
        case Wait() | Screenshot() | Zoom() | CursorPosition() | Move():
            return "none"
        case Done() | Fail() | CallUser():
            return "ends-episode"
        case _:
            return "unknown"


def join_effects(effects: Iterable[Effect]) -> Effect:
    """Return the effect of several actions together: `none` adds nothing, different effects are unknown."""
    distinct = set(effects) - {"none"}
    return distinct.pop() if len(distinct) == 1 else "unknown" if distinct else "none"
