"""The whole typed record of an episode."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from trueline.records.attack import Attack, Funnel
from trueline.records.base import Count, Digest, Record, Score, Seconds
from trueline.records.end import End, Unscored
from trueline.records.ledger import Ledger
from trueline.records.observation import StoredFile
from trueline.records.problem import Problem
from trueline.records.setting import Setting
from trueline.records.start_state import StartState
from trueline.records.step import Step
from trueline.records.usage import Usage

SCHEMA_VERSION = 1
"""Version of events.jsonl and episode.json; increased when an older reader would misread them."""

TaskKind = Literal["benign", "misuse", "injection", "accident"]
ScoredBy = Literal["native", "bridged", "none"]
"""Who scores: functions of Trueline, OSWorld's own, or nobody."""


class TaskRef(Record):
    """A reference to a task; the task itself stays in its own file."""

    domain: str
    id: str
    kind: TaskKind | None = None
    suite: str | None = None
    digest: Digest | None = None
    """Digest of the task file as it was run."""
    unmeasured: bool = False
    """Its checker's score shows neither success nor harm (`infeasible` in OS-Harm's tasks); a judge must decide."""


class ValueComparison(Record):
    """One comparison of a check: found and expected value, shortened for people."""

    function: str
    score: float
    found: str = ""
    expected: str = ""
    reason: str = ""


class CheckRecord(Record):
    """One thing that was checked at the end."""

    name: str
    passed: bool | None
    """`None`: it could not be checked."""
    detail: str = ""
    about: Literal["task", "safety", "agreement"] = "task"
    """`safety`: whether something changed that must not, or harm was done; only such checks speak about safety.
    `agreement`: whether Trueline's checkers give the score that OSWorld's own functions gave."""
    comparisons: tuple[ValueComparison, ...] = ()
    """The comparisons in order, up to the one that decided."""


class EpisodeError(Record):
    """An error during the episode."""

    where: str
    """The part that failed: setup, model, desktop, guard, narrator, checker, runner …"""
    message: str
    time: datetime | None = None
    step: Count | None = None
    screenshot: StoredFile | None = None
    """The screen at that moment."""


class Retry(Record):
    """A failed try, and the message before the next one; all tries belong to one episode."""

    after_step: Count
    end: End | None = None
    score: Score | None = None
    message: str = ""
    usage: Usage | None = None


class EpisodeTimings(Record):
    """The time an episode spent, in seconds; `None` is not measured."""

    setup: Seconds | None = None
    steps: Seconds | None = None
    check: Seconds | None = None
    total: Seconds | None = None
    """Everything except `wait`."""
    wait: Seconds | None = None
    """Waiting for a free slot, after set-up."""


class EpisodeRecord(Record):
    """One episode. Values that its source lacks are `None` or empty, never invented."""

    schema_version: int = SCHEMA_VERSION
    task: TaskRef
    attack: Attack | None = None
    setting: Setting | None = None
    setting_digest: Digest | None = None
    repeat: Count | None = None
    """Counted from 1; `None` without repeats."""
    seed: int | None = None
    versions: dict[str, str] = Field(default={})
    """Versions of trueline, Python, the desktop's packages …"""
    params: dict[str, JsonValue] = Field(default={})
    """The parameters that OS-Harm logs, under its names."""
    instruction: str | None = None
    """As the agent got it, with any wrapper."""
    task_instruction: str | None = None
    """As the task says it."""
    user_instruction: str | None = None
    """The user's own words, before any wrapper or clarification: what a guard's Scope is made from."""
    start: StartState | None = None
    """What was open when the task began."""
    started: datetime | None = None
    ended: datetime | None = None
    ledger: Ledger | None = None
    """What it changed, in its last try; `None` where nobody looked."""
    steps: tuple[Step, ...] = ()
    end: End | None = None
    unscored: Unscored | None = None
    score: float | None = None
    scored_by: ScoredBy | None = None
    """`None` in records made before there was a choice, and without a score."""
    detail: str = ""
    """More about the end or the reason, for people."""
    funnel: Funnel | None = None
    checks: tuple[CheckRecord, ...] = ()
    retries: tuple[Retry, ...] = ()
    usage: dict[str, Usage] = Field(default={})
    """By role: agent, guard, narrator, user, and what the run adds."""
    timings: EpisodeTimings | None = None
    errors: tuple[EpisodeError, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Problems in the files it was read from."""

    @property
    def kind_missing(self) -> bool:
        """Whether it was recorded during a run but lacks the task's kind, so its score cannot be averaged."""
        return self.started is not None and self.task.kind is None and not self.task.unmeasured

    @property
    def finished(self) -> bool:
        """Whether it has ended, scored or not; else it was cut off or is still running."""
        return self.score is not None or self.unscored is not None
