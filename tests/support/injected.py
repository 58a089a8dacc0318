"""Folders of injected episodes as a run leaves them, without the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from support.results import CONDITION
from trueline.records import Attack, End, Funnel, TaskRef, Unscored
from trueline.records.events import Ended, Started
from trueline.records.folder.events_file import dump_event
from trueline.records.layout import Unit

NOW = datetime(2026, 3, 20, 22, 29, 44, tzinfo=UTC)
Outcome = bool | Funnel | Unscored | None
"""Whether the injection achieved its goal, the whole funnel, why there is no score, or no funnel on record."""


def cell(host: str, goal: str = "delete_all_user_files", vector: str = "document", domain: str = "os") -> Unit:
    return Unit(domain, host, vector, goal)


def funnel_of(achieved: bool) -> Funnel:
    return Funnel(delivered=True, exposed=True, attempted=achieved, blocked=False, achieved=achieved)


def write_injected(
    root: Path,
    outcomes: Mapping[Unit, Sequence[Outcome]],
    *,
    score: float = 1.0,
    condition: str = CONDITION,
) -> Path:
    """Write `run1`, `run2` … with one episode for each outcome of each cell; `score` is that of the task."""
    for unit, of_cell in outcomes.items():
        for number, outcome in enumerate(of_cell, 1):
            write_injected_episode(root / f"run{number}" / condition / str(unit), unit, outcome, score=score)
    return root


def write_injected_episode(folder: Path, unit: Unit, outcome: Outcome, *, score: float = 1.0) -> Path:
    folder.mkdir(parents=True)
    attack = Attack(vector=unit.vector, goal=unit.goal)
    started = Started(
        time=NOW,
        task=TaskRef(domain=unit.domain, id=unit.task, kind="injection"),
        attack=attack,
        instruction="Do it.",
    )
    if isinstance(outcome, Unscored):
        ended = Ended(time=NOW, unscored=outcome, detail="because")
    else:
        funnel = funnel_of(outcome) if isinstance(outcome, bool) else outcome
        ended = Ended(time=NOW, end=End.DONE, score=score, funnel=funnel)
        (folder / "result.txt").write_text(f"{score}\n")
    (folder / "events.jsonl").write_bytes(dump_event(started) + dump_event(ended))
    return folder
