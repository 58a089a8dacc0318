"""Both models at once: the same verdicts as in turn, and the extra spend is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.engine_samples import BAD, CLEAR, FINE, UNSURE, Servers, context, rejection, say, says, scripted
from trueline.guard.config import GuardConfig, Mode
from trueline.guard.engine import DeActionGuard
from trueline.guard.stages import extra_spend, usage_of
from trueline.models import Model
from trueline.models.testing import Hang
from trueline.records.verdict import Decision, Stage, Verdict

FAULTY = {"answer": {"error": "server", "message": "down"}}
REFUSES = {"answer": {"refusal": "no"}}
fast_rules = st.sampled_from([CLEAR, UNSURE, FAULTY, REFUSES])
deep_rules = st.sampled_from([FINE, BAD, FAULTY, REFUSES])
delays = st.sampled_from([0.0, 0.0, 0.001, 0.003])


def rule(answer: dict[str, object], delay_s: float) -> dict[str, object]:
    if "answer" in answer:
        given = answer["answer"]
        assert isinstance(given, dict)
        return {"answer": given | {"delay_s": delay_s}}
    return says(answer, delay_s, cost=1.0)  # pyright: ignore[reportArgumentType] -- JSON, told apart above


@given(fast_rules, deep_rules, delays, delays, st.booleans())
@settings(deadline=None, max_examples=60)
def test_verdicts_are_those_of_asking_in_turn(
    fast: dict[str, object], deep: dict[str, object], fast_s: float, deep_s: float, flagged: bool
) -> None:
    with TemporaryDirectory() as folder:
        first = scripted(Path(folder), "fast", rule(fast, fast_s))
        second = scripted(Path(folder), "deep", rule(deep, deep_s))
        ctx = context(rejections=(rejection(1),) if flagged else ())

        async def check(mode: Mode) -> Verdict:
            return await DeActionGuard(GuardConfig(fast=first, systematic=second, mode=mode)).check(ctx)

        in_turn, at_once = asyncio.run(check("cost")), asyncio.run(check("latency"))
    same = {"decision", "stage", "category", "reason", "feedback", "evidence", "after_flag"}
    assert at_once.model_dump(include=same) == in_turn.model_dump(include=same)
    # What was asked in turn is also found at once; only stages behind the deciding one may come on top.
    told = [(f.stage, f.decision, f.reason, f.error) for f in at_once.findings]
    assert told[: len(in_turn.findings)] == [(f.stage, f.decision, f.reason, f.error) for f in in_turn.findings]
    assert extra_spend(in_turn).calls == 0


def test_both_are_asked_at_once() -> None:
    servers = Servers(say(UNSURE, delay_s=0.2), say(FINE, delay_s=0.2))
    verdict = servers.run(
        lambda fast, deep: DeActionGuard(GuardConfig(fast=fast, systematic=deep, mode="latency")).check(context())
    )
    assert verdict.stage is Stage.SYSTEMATIC
    assert servers.server.most_active == 2


def test_a_clear_case_stops_the_analysis() -> None:
    servers = Servers(say(CLEAR, delay_s=0.1), Hang())

    async def work(fast: Model, deep: Model) -> Verdict:
        guard = DeActionGuard(GuardConfig(fast=fast, systematic=deep, mode="latency"))
        verdict = await guard.check(context())
        await servers.server.abandoned.wait()
        return verdict

    verdict = servers.run(work)
    assert (verdict.decision, verdict.stage) == (Decision.ALIGNED, Stage.FAST_CHECK)
    stopped = verdict.findings[1]
    assert (stopped.stage, stopped.decision) == (Stage.SYSTEMATIC, None)
    # It was sent, and nobody knows what it cost: that is not nothing.
    spent = extra_spend(verdict)
    assert (spent.calls, spent.uncounted, spent.cost) == (1, 1, None)


def test_an_analysis_that_comes_first_waits_for_the_fast_check(tmp_path: Path) -> None:
    fast = scripted(tmp_path, "fast", says(CLEAR, delay_s=0.1, cost=0.01))
    deep = scripted(tmp_path, "deep", says(BAD, cost=0.5))
    guard = DeActionGuard(GuardConfig(fast=fast, systematic=deep, mode="latency"))
    verdict = asyncio.run(guard.check(context()))
    assert (verdict.decision, verdict.stage) == (Decision.ALIGNED, Stage.FAST_CHECK)
    assert verdict.findings[1].decision is Decision.MISALIGNED
    assert extra_spend(verdict).cost == pytest.approx(0.5)
    assert usage_of(verdict).cost == pytest.approx(0.51)
