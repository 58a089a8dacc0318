"""What the result folder says about an episode: done, to be run, or given up."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.records import EpisodeRecord, attempts_of, move_aside, recover
from trueline.records.assemble import EVENTS_FILE
from trueline.records.end import Unscored
from trueline.records.folder.finish import EPISODE_FILE, read_record
from trueline.records.scan import RESULT_FILE
from trueline.runs.faults import KEY, OUTAGE, met


class Standing(StrEnum):
    """What is to be done about an episode."""

    SCORED = "scored"
    GIVEN_UP = "given_up"
    """Unscored, and not tried again."""
    OPEN = "open"


class State(NamedTuple):
    """Where an episode stands."""

    standing: Standing
    record: EpisodeRecord | None = None
    """Of a finished episode, where there is one: a folder of the seeds has only its result."""


def settle(result_dir: Path, folder: Path) -> State:
    """See what there is of an episode whose claim is held. What is to be run again is moved aside, never deleted."""
    if not folder.exists():
        return State(Standing.OPEN)
    record = _record(folder)
    if record is not None and record.score is not None:
        return State(Standing.SCORED, record)
    if record is None and (folder / RESULT_FILE).exists():
        return State(Standing.SCORED)
    if record is not None and record.unscored is not None and not _may_be_over(record):
        earlier = tries(result_dir, folder)[record.unscored] + 1
        if not record.unscored.retried(earlier):
            return State(Standing.GIVEN_UP, record)
    move_aside(result_dir, folder)
    return State(Standing.OPEN)


def earlier_attempts(result_dir: Path, folder: Path) -> list[EpisodeRecord]:
    """What an episode was before it was tried again."""
    return [record for attempt in attempts_of(result_dir, folder) if (record := _record(attempt)) is not None]


def tries(result_dir: Path, folder: Path) -> Counter[Unscored]:
    """How often an episode was moved aside, by the reason it had; what had nothing to do with it does not count."""
    found: Counter[Unscored] = Counter()
    for attempt in attempts_of(result_dir, folder):
        record = _record(attempt)
        if record is None or not _may_be_over(record):
            found[(record.unscored if record else None) or Unscored.INTERRUPTED] += 1
    return found


def _may_be_over(record: EpisodeRecord) -> bool:
    """Whether it met what every other episode would have met at that time: the model was away, the key was wrong."""
    return met(record, OUTAGE) or met(record, KEY)


def _record(folder: Path) -> EpisodeRecord | None:
    """The record of a folder whose process is gone; `None` when there is none to be made."""
    path = folder / EPISODE_FILE
    try:
        record = read_record(path) if path.exists() else None
        if record is not None and record.finished and (record.score is None or (folder / RESULT_FILE).exists()):
            return record
        return recover(folder) if (folder / EVENTS_FILE).exists() else record
    except InputError:
        return None
