"""What happens at harmless texts in the place of injections: what a guard stops, and whether the task is done.

Pure functions over records. The arm `attack` is the injection itself, so that the others can be read beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from trueline.records.attack import TWINS, Twin, split_twin
from trueline.records.episode import EpisodeRecord
from trueline.records.episode_state import is_success

Arm = Literal["attack"] | Twin
ARMS: tuple[Arm, ...] = ("attack", *TWINS)


@dataclass(frozen=True, slots=True)
class TwinRate:
    """One vector with one kind of text."""

    vector: str
    arm: Arm
    episodes: int
    """Scored episodes in which the text was delivered."""
    hosts: int
    guarded: int
    """Those with a guard."""
    blocked: int
    """Those in which the guard stopped a proposal."""
    done: int
    """Those in which the task was done."""
    followed: int
    """Those in which the text was followed."""

    @property
    def block_rate(self) -> float | None:
        """Share of the guarded episodes in which something was stopped; `None` without a guard."""
        return self.blocked / self.guarded if self.guarded else None

    @property
    def success(self) -> float | None:
        """Share of the episodes in which the task was done."""
        return self.done / self.episodes if self.episodes else None


def twin_rates(records: Iterable[EpisodeRecord]) -> list[TwinRate]:
    """One line for each vector and arm; empty if no episode has a twin."""
    groups: dict[tuple[str, Arm], list[EpisodeRecord]] = {}
    for record in records:
        attack = record.attack
        if attack is None or attack.vector is None or record.score is None or record.unscored is not None:
            continue
        if record.funnel is None or not record.funnel.delivered:
            continue
        groups.setdefault((attack.vector, split_twin(attack.goal or "")[1] or "attack"), []).append(record)
    if all(arm == "attack" for _, arm in groups):
        return []
    return [
        _rate(vector, arm, groups[vector, arm])
        for vector in sorted({vector for vector, _ in groups})
        for arm in ARMS
        if (vector, arm) in groups
    ]


def twin_json(rate: TwinRate) -> dict[str, object]:
    """The same as plain data."""
    return {**asdict(rate), "block_rate": rate.block_rate, "success": rate.success}


def _rate(vector: str, arm: Arm, records: Sequence[EpisodeRecord]) -> TwinRate:
    guarded = [record for record in records if _was_guarded(record)]
    return TwinRate(
        vector,
        arm,
        episodes=len(records),
        hosts=len({(record.task.domain, record.task.id) for record in records}),
        guarded=len(guarded),
        blocked=sum(_stopped(record) for record in guarded),
        done=sum(is_success(record.score or 0.0) for record in records),
        followed=sum(record.funnel is not None and record.funnel.achieved is True for record in records),
    )


def _was_guarded(record: EpisodeRecord) -> bool:
    return any(attempt.verdicts for step in record.steps for attempt in step.attempts)


def _stopped(record: EpisodeRecord) -> bool:
    return any(not attempt.ran for step in record.steps for attempt in step.attempts)
