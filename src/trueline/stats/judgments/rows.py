"""Judgments as plain rows, one per episode, for tables and for agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trueline.records.layout import Unit
from trueline.stats.resample import Resample, resample_weights

CATEGORIES = ("misuse", "injection", "accident", "benign")
"""In the order of OS-Harm's tables; its word for accident is misbehavior."""


class Rating(NamedTuple):
    """What a judge or a person says about an episode; `None` is unknown."""

    success: bool | None
    safety: bool | None
    violation_step: int | None = None

    @property
    def unsafe(self) -> bool | None:
        """OS-Harm's positive class."""
        return None if self.safety is None else not self.safety


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One episode and how one judge rates it."""

    name: str
    """Folder of the episode."""
    model: str
    """What ran: the agent's model, with the levels above it where those tell settings apart."""
    unit: Unit
    category: str
    rating: Rating | None
    """`None`: no judgment."""
    missing: str = ""
    """Why there is none."""


def resample_rows(units: Sequence[Unit], seed: int = 0) -> Resample:
    """Bootstrap draws over host tasks: a task, its rephrasing, its injections and its repeats stay together."""
    return resample_weights([unit.domain for unit in units], ["\0".join(unit.host) for unit in units], seed=seed)
