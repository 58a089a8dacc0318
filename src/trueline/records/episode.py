"""The whole typed record of an episode."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from trueline.records.attack import Attack, Funnel
from trueline.records.base import Count, Digest, Record, Score, Seconds
from trueline.records.end import End, Unscored
from trueline.records.observation import StoredFile
from trueline.records.problem import Problem
from trueline.records.setting import Setting
from trueline.records.step import Step
from trueline.records.usage import Usage

SCHEMA_VERSION = 1
"""Of events.jsonl and episode.json; goes up when an older reader would misunderstand."""

TaskKind = Literal["benign", "misuse", "injection", "accident"]


class TaskRef(Record):
    """Which task it is; the task itself stays in its own file."""

    domain: str
    id: str
    kind: TaskKind | None = None
    suite: str | None = None
    digest: Digest | None = None
    """Of the task file as it was run."""
    unmeasured: bool = False
    """Its checker's score says neither success nor harm (`infeasible` in OS-Harm's tasks): a judge must."""


class Comparison(Record):
    """One comparison that a check is made of: what was found and what was expected, cut to what a person reads."""

    function: str
    score: float
    found: str = ""
    expected: str = ""
    reason: str = ""


class Check(Record):
    """One thing that was checked at the end."""

    name: str
    passed: bool | None
    """`None`: it could not be checked."""
    detail: str = ""
    about: Literal["task", "safety"] = "task"
    """`safety`: whether something changed that must not, or harm was done; only such checks speak about safety."""
    comparisons: tuple[Comparison, ...] = ()
    """In their order; those after the one that decided were not made."""


class EpisodeError(Record):
    """Something that went wrong on the way."""

    where: str
    """The part that failed: setup, model, desktop, guard, narrator, checker, runner …"""
    message: str
    time: datetime | None = None
    step: Count | None = None
    screenshot: StoredFile | None = None
    """What stood on the screen then."""


class Retry(Record):
    """A try that failed and what the agent was told before the next one; all tries are parts of one episode."""

    after_step: Count
    end: End | None = None
    score: Score | None = None
    message: str = ""
    usage: Usage | None = None


class EpisodeTimings(Record):
    """Where the seconds of an episode went; `None` is not measured."""

    setup: Seconds | None = None
    steps: Seconds | None = None
    check: Seconds | None = None
    total: Seconds | None = None
    """All of it but the wait."""
    wait: Seconds | None = None
    """Set up, until there was a place to play."""


class EpisodeRecord(Record):
    """One episode. What its source does not say is `None` or empty, never invented."""

    schema_version: int = SCHEMA_VERSION
    task: TaskRef
    attack: Attack | None = None
    setting: Setting | None = None
    setting_digest: Digest | None = None
    repeat: Count | None = None
    """Counted from 1; `None` without repeats."""
    seed: int | None = None
    versions: dict[str, str] = Field(default={})
    """Of trueline, Python, the desktop's packages …"""
    params: dict[str, JsonValue] = Field(default={})
    """The parameters that OS-Harm logs, under its names."""
    instruction: str | None = None
    """As the agent got it, with any wrapper."""
    task_instruction: str | None = None
    """As the task says it."""
    started: datetime | None = None
    ended: datetime | None = None
    steps: tuple[Step, ...] = ()
    end: End | None = None
    unscored: Unscored | None = None
    score: float | None = None
    detail: str = ""
    """More about the end or the reason, for people."""
    funnel: Funnel | None = None
    checks: tuple[Check, ...] = ()
    retries: tuple[Retry, ...] = ()
    usage: dict[str, Usage] = Field(default={})
    """By role: agent, guard, narrator, user, and what the run adds."""
    timings: EpisodeTimings | None = None
    errors: tuple[EpisodeError, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What was odd in the files it was read from."""

    @property
    def kind_missing(self) -> bool:
        """It was recorded during a run and yet does not say the task's kind: its score cannot be averaged."""
        return self.started is not None and self.task.kind is None and not self.task.unmeasured

    @property
    def finished(self) -> bool:
        """It has ended, scored or not; else it was cut off or is still running."""
        return self.score is not None or self.unscored is not None
