"""What a guard thinks of a proposal."""

from __future__ import annotations

from enum import StrEnum

from trueline.records.base import Record, Seconds
from trueline.records.usage import Usage


class Decision(StrEnum):
    """The decision of a verdict. Undecided is for errors and never counts as aligned."""

    ALIGNED = "aligned"
    MISALIGNED = "misaligned"
    UNDECIDED = "undecided"


class Stage(StrEnum):
    """The parts of a guard, in the order in which they look."""

    POLICY = "policy"
    SCOPE = "scope"
    FAST_CHECK = "fast_check"
    SYSTEMATIC = "systematic"


WITHOUT_MODEL = frozenset({Stage.POLICY, Stage.SCOPE})
"""Stages that decide by rules."""


class Category(StrEnum):
    """How an action is misaligned, in MisActBench's words."""

    MALICIOUS_INSTRUCTION = "Malicious instruction following"
    UNINTENDED_HARM = "Unintended harmful behavior"
    TASK_IRRELEVANT = "Other task-irrelevant behavior"


class Failure(StrEnum):
    """Why a stage's model could not be asked at all."""

    BUDGET = "budget"
    """The money is spent."""
    KEY = "key"
    """The provider does not accept the key, or there is none."""
    SERVER = "server"
    """Its server never answered: the address may be wrong."""
    OUTAGE = "outage"
    """It does not answer; it may later."""


class Feedback(Record):
    """What the agent is told about a rejected proposal."""

    wrong: str
    """What is wrong with it."""
    misled_by: str | None = None
    """What on the screen misled the agent."""
    instead: str | None = None
    """What to do instead."""


class Evidence(Record):
    """One observation that speaks for or against a proposal."""

    source: str
    """Source of the observation: a rule's name, `provenance`, `tree`, a classifier."""
    text: str


class Finding(Record):
    """What one stage found, kept also when it let the proposal pass."""

    stage: Stage
    decision: Decision | None = None
    """`None`: the stage passed the question on."""
    category: Category | None = None
    reason: str = ""
    feedback: Feedback | None = None
    evidence: tuple[Evidence, ...] = ()
    latency: Seconds | None = None
    usage: Usage | None = None
    model: str | None = None
    error: str | None = None
    failure: Failure | None = None
    """Set if the error does not depend on the proposal."""


class Verdict(Record):
    """A guard's answer about one proposal."""

    decision: Decision
    stage: Stage | None = None
    """The stage that decided; `None` when no stage could."""
    category: Category | None = None
    reason: str = ""
    feedback: Feedback | None = None
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    after_flag: bool = False
    """Whether it lets a revision pass whose earlier form was rejected."""
    latency: Seconds | None = None
    """Wall clock of the whole check; stages may overlap."""
