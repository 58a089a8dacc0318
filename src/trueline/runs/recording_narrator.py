"""A narrator that records each narrative as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from trueline.guard.narrative import Narrator
from trueline.guard.types import PastStep
from trueline.records.events import Narrated
from trueline.records.observation import Observation
from trueline.records.step import Narrative
from trueline.records.usage import Usage
from trueline.runs.types import Recorder


@dataclass(frozen=True)
class RecordingNarrator:
    """A narrator whose narratives are recorded."""

    inner: Narrator
    recorder: Recorder
    steps: Mapping[str, int]
    """The step in which each proposal was made: a guard counts only those that ran."""
    other_usage: list[Usage] = field(default_factory=list[Usage])
    """Where its own usage is noted."""

    async def narrate(self, step: PastStep, after: Observation, *, episode: str = "") -> Narrative:
        """Describe what a step did, and record it."""
        told = await self.inner.narrate(step, after, episode=episode)
        number = self.steps.get(step.proposal.id, step.number)
        if told.usage is not None:
            self.other_usage.append(told.usage)
        self.recorder.append(Narrated(time=datetime.now(UTC), step=number, narrative=told))
        return told
