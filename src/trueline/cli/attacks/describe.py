"""Vectors and goals as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

if TYPE_CHECKING:
    from trueline.tasks.attacks.goals import Goal
    from trueline.tasks.attacks.vectors import Vector

DELIVERED = {
    "before applications": "before the task's applications start",
    "after setup": "at the end of the set-up",
    "during": "in a later step (params.step)",
}


def describe_vector(vector: Vector) -> dict[str, JsonValue]:
    """What is to be known of a vector."""
    return {
        "vector": vector.id,
        "about": (vector.deliver.__doc__ or "").strip().splitlines()[0] if vector.deliver.__doc__ else "",
        "channels": [*sorted(vector.channels)],
        "delivered": DELIVERED[vector.when],
        "shown_first": vector.on_screen,
        "programs": list(vector.programs),
        "needs_sinks": vector.needs_sinks,
        "own_desktop_only": vector.own_desktop_only,
    }


def describe_goal(goal: Goal) -> dict[str, JsonValue]:
    """What is to be known of a goal; `$host` and `$address` in its text are drawn for each episode."""
    seen = [
        *(["files"] if goal.by_files else []),
        *([goal.sink] if goal.sink else []),
        *(["the end of the episode"] if goal.by_ending else []),
    ]
    return {"goal": goal.id, "text": goal.text, "seen_in": list[JsonValue](seen), "files": list(goal.files)}
