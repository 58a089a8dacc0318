"""Whatever goes wrong with a model: undecided, with the reason, and never an exception or a pass."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from guard.engine_samples import BAD, CLEAR, FINE, QUICK, UNSURE, Quitter, Rules, Servers, context, say, says, scripted
from trueline.guard.config import GuardConfig, Mode
from trueline.guard.engine import DeActionGuard
from trueline.guard.stages import enforce, usage_of
from trueline.models import CostLedger, Model
from trueline.models.errors import BudgetSpentError
from trueline.models.retry import RetryPolicy
from trueline.models.testing import Hang, Play, Say, faults
from trueline.models.types import Answer, ModelId, Request
from trueline.records.verdict import Decision, Stage, Verdict

pytestmark = pytest.mark.full

ANSWERS: dict[str, Play] = {
    "refusal": Say(stop="refusal", refusal="I cannot help with that"),
    "content filter": Say('{"thought": "x", "align": true}', stop="content_filter"),
    "truncated": Say('{"thought": "x", "align": true', stop="length"),
    "truncated after the verdict": Say('{"thought": "x", "align": true, "conclusion": false}', stop="length"),
    "free text": Say("I think align is true, conclusion false."),
    "nothing but true": Say("true"),
    "no verdict": Say('{"thought": "x"}'),
    "the verdict as a word": Say('{"thought": "x", "align": "true", "conclusion": "false"}'),
    "the verdict as a number": Say('{"thought": "x", "align": 1, "conclusion": 0}'),
    "no verdict but null": Say('{"thought": "x", "align": null, "conclusion": null}'),
    "an unknown field": Say('{"thought": "x", "align": true, "conclusion": false, "approved": true}'),
    "a list": Say('[{"thought": "x", "align": true, "conclusion": false}]'),
}
PLAYS = faults("chat") | ANSWERS


def patience(name: str) -> RetryPolicy:
    """Little time for what hangs, enough for everything else."""
    attempt_s = 0.2 if name == "hang" else 20
    return RetryPolicy(1, 1, first_s=0.001, longest_s=0.01, attempt_s=attempt_s, deadline_s=40)


def checked(servers: Servers, mode: Mode, retry: RetryPolicy = QUICK, deadline: float | None = None) -> Verdict:
    def work(fast: Model, deep: Model):
        return DeActionGuard(GuardConfig(fast=fast, systematic=deep, mode=mode, deadline=deadline)).check(context())

    return servers.run(work, retry)


@pytest.mark.parametrize("mode", ["cost", "latency"])
@pytest.mark.parametrize("broken", ["fast", "deep"])
@pytest.mark.parametrize("name", list(PLAYS))
def test_a_fault_ends_undecided(name: str, broken: str, mode: Mode) -> None:
    play = PLAYS[name]
    servers = Servers(play, say(FINE)) if broken == "fast" else Servers(say(UNSURE), play)
    verdict = checked(servers, mode, patience(name))
    assert (verdict.decision, verdict.stage) == (Decision.UNDECIDED, None)
    assert enforce(verdict) == "block"
    failed = next(f for f in verdict.findings if f.decision is Decision.UNDECIDED)
    assert failed.stage is (Stage.FAST_CHECK if broken == "fast" else Stage.SYSTEMATIC)
    assert failed.error and "\n" not in failed.error and failed.error in verdict.reason
    assert failed.usage is not None and failed.usage.cost is None


@pytest.mark.parametrize("mode", ["cost", "latency"])
def test_a_model_that_cancels_itself_is_undecided(tmp_path: Path, mode: Mode) -> None:
    deep = scripted(tmp_path, "deep", says(FINE))
    verdict = asyncio.run(DeActionGuard(GuardConfig(fast=Quitter(), systematic=deep, mode=mode)).check(context()))
    assert verdict.decision is Decision.UNDECIDED and "cancelled" in verdict.reason


def test_time_that_was_waited_before_counts_against_the_deadline() -> None:
    guard = DeActionGuard(GuardConfig(policy=Rules(), deadline=3600))
    verdict = asyncio.run(asyncio.wait_for(guard.check(context(waited=3600.0)), 30))
    assert "deadline of 3600 s" in verdict.reason


@pytest.mark.parametrize("name", ["refusal", "truncated"])
def test_the_price_of_an_answer_that_cannot_be_used_is_kept(name: str) -> None:
    verdict = checked(Servers(PLAYS[name], say(FINE)), "cost")
    assert usage_of(verdict).output_tokens > 0


def test_a_spent_budget_is_undecided_and_costs_nothing(tmp_path: Path) -> None:
    class Broke:
        """A model whose purse is empty."""

        id = ModelId(provider="scripted", model="broke")

        async def ask(self, request: Request) -> Answer:
            ledger = CostLedger(limit=0.0)
            ledger.admit(self.id, True)
            raise AssertionError("not reached")

        async def close(self) -> None: ...

    with pytest.raises(BudgetSpentError):
        asyncio.run(Broke().ask(Request.model_construct()))
    verdict = asyncio.run(DeActionGuard(GuardConfig(systematic=Broke())).check(context()))
    assert verdict.decision is Decision.UNDECIDED
    assert usage_of(verdict).cost == 0


def test_an_error_that_is_not_ours_is_undecided_too(tmp_path: Path) -> None:
    class Broken:
        """A model that does not keep to its contract."""

        id = ModelId(provider="scripted", model="broken")

        async def ask(self, request: Request) -> Answer:
            raise ZeroDivisionError("surprise")

        async def close(self) -> None: ...

    fast = scripted(tmp_path, "fast", says(UNSURE))
    for mode in ("cost", "latency"):
        config = GuardConfig(fast=fast, systematic=Broken(), mode=mode)
        verdict = asyncio.run(DeActionGuard(config).check(context()))
        assert verdict.decision is Decision.UNDECIDED
        assert "ZeroDivisionError: surprise" in verdict.reason


@pytest.mark.parametrize("mode", ["cost", "latency"])
@pytest.mark.parametrize("slow", ["fast", "deep"])
def test_the_deadline_holds(mode: Mode, slow: str) -> None:
    servers = Servers(Hang(), say(FINE)) if slow == "fast" else Servers(say(UNSURE), Hang())
    verdict = checked(servers, mode, deadline=0.5)
    assert verdict.decision is Decision.UNDECIDED
    assert "deadline" in verdict.reason or "in time" in verdict.reason
    assert servers.server.asked.is_set()


def test_the_deadline_holds_for_rules_too() -> None:
    verdict = asyncio.run(DeActionGuard(GuardConfig(policy=Rules(None), deadline=0.05)).check(context()))
    assert verdict.decision is Decision.UNDECIDED
    assert "deadline of 0.05 s" in verdict.reason


def test_a_model_that_ignores_its_deadline_is_left(tmp_path: Path) -> None:
    class Patient:
        """A model that never answers and does not look at the clock."""

        id = ModelId(provider="scripted", model="patient")

        async def ask(self, request: Request) -> Answer:
            await asyncio.Event().wait()
            raise AssertionError("not reached")

        async def close(self) -> None: ...

    verdict = asyncio.run(DeActionGuard(GuardConfig(fast=Patient(), deadline=0.05)).check(context()))
    assert verdict.decision is Decision.UNDECIDED and "deadline of 0.05 s" in verdict.reason


def test_what_decided_before_the_deadline_stands() -> None:
    assert checked(Servers(say(CLEAR), Hang()), "latency", deadline=30).decision is Decision.ALIGNED


@pytest.mark.parametrize("mode", ["cost", "latency"])
def test_a_cancelled_check_stops_its_calls(mode: Literal["cost", "latency"]) -> None:
    servers = Servers(Hang(), Hang())

    async def work(fast: Model, deep: Model) -> None:
        config = GuardConfig(fast=fast, systematic=deep, mode=mode)
        task = asyncio.create_task(DeActionGuard(config).check(context()))
        await servers.server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await servers.server.abandoned.wait()

    servers.run(work)


def test_bad_is_bad_with_all_these_helpers() -> None:
    """The faults above prove something only if the same set-up also gives verdicts."""
    assert checked(Servers(say(UNSURE), say(BAD)), "latency").decision is Decision.MISALIGNED
