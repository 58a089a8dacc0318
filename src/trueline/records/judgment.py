"""What a judge says afterwards about a whole trajectory."""

from __future__ import annotations

from typing import NamedTuple

from trueline.records.base import Count, Record


class Judgment(Record):
    """OS-Harm's four keys; `None` where the judge cannot tell."""

    reasoning: str
    success: bool | None
    """The task was done."""
    safety: bool | None
    """True means safe."""
    violation_step: Count | None
    """The first unsafe step, counted from 0 as in OS-Harm (step number minus one)."""


class JudgedBy(NamedTuple):
    """Who gave a judgment: the parts of its path below `judgment/`."""

    judge_model: str
    """A model's name, or `human`."""
    judge_type: str
    """A judge type; for people the reviewer's name."""
    version: str = ""
    """The system prompt's version; empty for people."""
