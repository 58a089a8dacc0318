"""Scoring recorded episodes again from what their checkers read, without a desktop."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from trueline.errors import InputError, TruelineError
from trueline.records import read_episode
from trueline.records.assemble import EVENTS_FILE
from trueline.records.end import Unscored
from trueline.records.episode import CheckRecord, EpisodeRecord
from trueline.records.episode_state import RESULT_FILE, TOLERANCE, is_success
from trueline.records.events import Closed, Ended
from trueline.records.folder.checker_files import read_evidence
from trueline.records.folder.closing import EPISODE_FILE, finish_folder
from trueline.records.folder.events_file import dump_event, read_events
from trueline.records.folder.files import make_folder, write_file
from trueline.records.scan import scan
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.checkers.evaluate import rescore
from trueline.tasks.checkers.evidence import RecordedEvaluation
from trueline.tasks.checkers.values import CheckResult
from trueline.validation import describe_validation_error

Outcome = Literal["same", "changed", "left out"]
_EVALUATOR = "evaluator"
"""The name of the check that gave the score."""


@dataclass(frozen=True)
class Rescored:
    """One episode, scored again."""

    folder: Path
    before: float | None
    """`None`: the checker gave no score."""
    after: CheckResult | None = None
    left_out: str = ""
    """Why it could not be scored again."""

    @property
    def outcome(self) -> Outcome:
        """What came of it."""
        if self.after is None:
            return "left out"
        if self.before is None or abs(self.before - self.after.score) > TOLERANCE:
            return "changed"
        return "same"

    def to_json(self) -> dict[str, JsonValue]:
        """The row of a report."""
        return {
            "folder": str(self.folder),
            "outcome": self.outcome,
            "before": self.before,
            "after": None if self.after is None else self.after.score,
            "reason": self.left_out if self.after is None else self.after.reason,
            "scored_by": None if self.after is None else self.after.scored_by,
        }


def find_episodes(roots: Sequence[Path]) -> list[Path]:
    """The folders of all episodes at or below these folders.

    Raises:
        InputError: A folder is missing or holds no episode.
    """
    folders: dict[Path, None] = {}
    for root in roots:
        found = scan(root)
        if not found:
            raise InputError(f"{root}: holds no episode; name a result folder or an episode's folder")
        folders |= dict.fromkeys(Path(trial.folder) for trial in found)
    return list(folders)


async def rescore_episodes(folders: Sequence[Path]) -> AsyncGenerator[Rescored]:
    """Score each episode again; the folders are not changed."""
    async with Bridge() as bridge:
        for folder in folders:
            yield await _rescore(folder, bridge)


async def _rescore(folder: Path, bridge: Bridge) -> Rescored:
    try:
        record = read_episode(folder).record
        evidence = read_evidence(folder)
    except InputError as error:
        return Rescored(folder, None, left_out=str(error))
    before = record.score
    if record.unscored not in (None, Unscored.CHECKER_ERROR):
        return Rescored(folder, before, left_out=f"unscored: {record.unscored.value}")
    if evidence is None:
        why = "nothing that its checker compared was kept (played by an earlier version, with --store redacted or none,"
        return Rescored(folder, before, left_out=f"{why} or scored without looking at the desktop)")
    try:
        return Rescored(folder, before, await rescore(RecordedEvaluation(folder, evidence), bridge))
    except ValidationError as error:
        return Rescored(folder, before, left_out=f"its evaluator: {describe_validation_error(error)}")
    except TruelineError as error:
        return Rescored(folder, before, left_out=str(error))


def copy_rescored(found: Sequence[Rescored], out: Path) -> None:
    """Write a result folder with the new scores: like the old one, whose files are hard-linked where possible.

    Episodes that could not be scored again keep their score. The old folder is not changed.

    Args:
        found: All episodes of one result folder.
        out: The folder to write; must not exist.

    Raises:
        InputError: The folder exists, or the episodes have no common folder.
        DiskFullError: There is no room.
    """
    if out.exists():
        raise InputError(f"{out}: already exists; name a new folder")
    root = Path(os.path.commonpath([one.folder for one in found]))
    root = root.parent if len(found) == 1 else root
    for one in found:
        target = out / one.folder.relative_to(root)
        _copy_folder(one.folder, target)
        if one.after is not None and one.outcome == "changed":
            _write_score(target, one.after)


def _copy_folder(source: Path, target: Path) -> None:
    """Copy an episode; pictures and other files that are never written again become links."""
    make_folder(target.parent, exist_ok=True)
    changing = {EVENTS_FILE, EPISODE_FILE, RESULT_FILE, "traj.jsonl", "better_log.json"}

    def copy(one: str, other: str) -> str:
        if os.path.basename(one) not in changing:
            try:
                os.link(one, other, follow_symlinks=False)
                return other
            except OSError:
                pass  # another file system
        return shutil.copy2(one, other, follow_symlinks=False)

    shutil.copytree(source, target, copy_function=copy, symlinks=True)


def _write_score(folder: Path, after: CheckResult) -> EpisodeRecord:
    """Give a copied episode its new score, in its last event and all files made from the events."""
    events = read_events(folder).events
    changed = [_with_score(event, after) if isinstance(event, Ended) else event for event in events]
    kept = [event for event in changed if not isinstance(event, Closed)]
    write_file(folder / EVENTS_FILE, b"".join(map(dump_event, kept)))
    (folder / RESULT_FILE).unlink(missing_ok=True)
    return finish_folder(folder)


def _with_score(ended: Ended, after: CheckResult) -> Ended:
    check = CheckRecord(
        name=_EVALUATOR, passed=is_success(after.score), detail=after.reason, comparisons=after.comparisons
    )
    others = tuple(other for other in ended.checks if other.name != _EVALUATOR)
    before = "no score" if ended.score is None else f"{ended.score:g}"
    detail = "; ".join(part for part in (ended.detail, f"scored again from its evidence, was {before}") if part)
    changes = {"score": after.score, "unscored": None, "scored_by": after.scored_by, "checks": (check, *others)}
    return ended.model_copy(update={**changes, "detail": detail})
