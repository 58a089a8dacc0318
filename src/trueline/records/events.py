"""The lines of events.jsonl, the truth while an episode runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, TypeAdapter, model_validator

from trueline.records.attack import Attack, Funnel
from trueline.records.base import Count, Digest, Record, Score
from trueline.records.end import End, Unscored
from trueline.records.episode import (
    SCHEMA_VERSION,
    CheckRecord,
    EpisodeError,
    EpisodeTimings,
    Retry,
    ScoredBy,
    TaskRef,
)
from trueline.records.ledger import Ledger
from trueline.records.problem import Problem
from trueline.records.setting import Setting
from trueline.records.start_state import StartState
from trueline.records.step import Narrative, Step
from trueline.records.usage import Usage
from trueline.records.verdict import Verdict


class Started(Record):
    """The first line: what will be run."""

    event: Literal["started"] = "started"
    schema_version: int = SCHEMA_VERSION
    time: datetime
    task: TaskRef
    attack: Attack | None = None
    setting: Setting | None = None
    setting_digest: Digest | None = None
    repeat: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    versions: dict[str, str] = Field(default={})
    params: dict[str, JsonValue] = Field(default={})
    instruction: str
    task_instruction: str | None = None
    user_instruction: str | None = None
    start: StartState | None = None


class Stepped(Record):
    """A whole step."""

    event: Literal["step"] = "step"
    time: datetime
    step: Step


class Narrated(Record):
    """The narrative of an earlier step, made in the background."""

    event: Literal["narrative"] = "narrative"
    time: datetime
    step: Count
    narrative: Narrative


class Checked(Record):
    """A guard's verdict that came after its step was written, as in shadow mode."""

    event: Literal["verdict"] = "verdict"
    time: datetime
    step: Count
    proposal: str
    """The proposal's id."""
    verdict: Verdict


class Failed(Record):
    """An error; the episode may still go on."""

    event: Literal["error"] = "error"
    time: datetime
    error: EpisodeError


class Retried(Record):
    """A failed try; another one follows in the same episode."""

    event: Literal["retry"] = "retry"
    time: datetime
    retry: Retry


class Accounted(Record):
    """What an episode, or one try of it, changed on the desktop."""

    event: Literal["ledger"] = "ledger"
    time: datetime
    ledger: Ledger


class Noted(Record):
    """A problem of the files themselves, found during recovery."""

    event: Literal["problem"] = "problem"
    time: datetime
    problem: Problem


class Ended(Record):
    """How it ended: scored with an end, or unscored with a reason (and the end, if it came to one)."""

    event: Literal["ended"] = "ended"
    time: datetime
    end: End | None = None
    unscored: Unscored | None = None
    score: Score | None = None
    scored_by: ScoredBy | None = None
    detail: str = ""
    funnel: Funnel | None = None
    checks: tuple[CheckRecord, ...] = ()
    usage: dict[str, Usage] = Field(default={})
    """Usage by role, for calls outside of steps, narratives and retries."""
    timings: EpisodeTimings | None = None

    @model_validator(mode="after")
    def _scored_or_not(self) -> Self:
        if self.unscored is None and (self.end is None or self.score is None):
            raise ValueError("a scored episode has an end and a score")
        if self.unscored is not None and self.score is not None:
            raise ValueError("an unscored episode has no score")
        return self


class Closed(Record):
    """After the end of a scored episode: all of its files are written, `result.txt` included."""

    event: Literal["closed"] = "closed"
    time: datetime


Event = Annotated[
    Started | Stepped | Narrated | Checked | Failed | Retried | Accounted | Noted | Ended | Closed,
    Field(discriminator="event"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Validates and dumps any event."""
