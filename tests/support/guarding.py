"""A small guard that anybody could write, and screens for it."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime

from PIL import Image

from trueline.actions.facts import proposal_facts
from trueline.guard.types import GuardContext
from trueline.records.observation import Observation
from trueline.records.tree import Size
from trueline.records.verdict import Decision, Feedback, Stage, Verdict

ALIGNED = Verdict(decision=Decision.ALIGNED, stage=Stage.POLICY, reason="harmless words")
MISALIGNED = Verdict(
    decision=Decision.MISALIGNED,
    stage=Stage.POLICY,
    reason="it deletes",
    feedback=Feedback(wrong="It deletes files.", misled_by="the pop-up", instead="Rename the file."),
)
UNDECIDED = Verdict(decision=Decision.UNDECIDED, reason="the model is away")
TREE = '<desktop-frame><push-button name="Save" xmlns:st="https://accessibility.ubuntu.example.org/ns/state"/></desktop-frame>'


class WordGuard:
    """Judges by words of the action: delete is misaligned, doubt undecided, boom raises, hang never answers."""

    def __init__(self) -> None:
        self.seen: list[GuardContext] = []

    async def check(self, context: GuardContext) -> Verdict:
        self.seen.append(context)
        facts = proposal_facts(context.proposal.actions)
        words = " ".join((*facts.typed, *(command.text for command in facts.commands), *facts.urls))
        if "boom" in words:
            raise RuntimeError("boom")
        if "hang" in words:
            await asyncio.Event().wait()
        if "doubt" in words:
            return UNDECIDED
        return MISALIGNED if "delete" in words else ALIGNED


def png(width: int = 64, height: int = 48, colour: str = "navy", format: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, format)
    return out.getvalue()


def screen(colour: str = "navy") -> Observation:
    return Observation(time=datetime(2030, 1, 1, tzinfo=UTC), screenshot=png(colour=colour), screen=Size(64, 48))
