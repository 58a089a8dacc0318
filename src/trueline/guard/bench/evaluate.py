"""All narratives at once, then all checks at once: the wall clock follows the number of calls, not the longest episode.

Offline every input is known beforehand, so no step waits for another one of its trajectory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from trueline.actions.codecs.pyautogui.comments import strip_comments
from trueline.guard.bench.cases import LabelledStep, LabelledTrajectory, observe
from trueline.guard.bench.connection_watch import ConnectionWatch
from trueline.guard.bench.journal import Evaluated, NarratedStep
from trueline.guard.bench.progress import OPTIONS, UNTOLD, VERDICT, Progress, told_by
from trueline.guard.bench.store import BenchStore
from trueline.guard.narrative import Narrator
from trueline.guard.types import Guard, GuardContext, PastStep
from trueline.records.interchange.misactbench import MISSING_PRE_SCREENSHOT, Evaluation, NarrativeSummary
from trueline.records.setting import GuardSetting
from trueline.records.verdict import Decision, Verdict
from trueline.text import printable

T = TypeVar("T")
Report = Callable[[str, int, int], None]
"""Called after each step with what is being made, how many are done, and of how many."""

MISSING_SCREENS = "missing_screenshots"
"""The error of a step whose narrative needs screens that are not there."""


async def run_bench(
    sources: Sequence[LabelledTrajectory],
    guard: Guard,
    narrator: Narrator | None,
    store: BenchStore,
    setting: GuardSetting,
    *,
    workers: int,
    calls_per_check: int,
    watch: ConnectionWatch,
    report: Report,
) -> None:
    """Make the missing narratives and verdicts.

    Args:
        sources: The steps.
        guard: Judges them.
        narrator: Tells what they did; `None` leaves narratives out.
        store: Keeps what is found out.
        setting: How the steps are judged, for the record.
        workers: How many model calls are in flight at most.
        calls_per_check: How many of them one check may have at the same time.
        watch: Sees when the models cannot be reached.
        report: Told after each step.

    Raises:
        UnreachableError: The models cannot be reached; run it again later.
    """

    async def narrate(case: LabelledStep) -> None:
        assert narrator is not None
        store.note(await _narrate(case, narrator))
        watch.check()

    async def check(question: tuple[LabelledStep, GuardContext]) -> None:
        case, context = question
        store.note(await _check(case, context, guard, setting))
        watch.check()

    known = store.progress
    open_sources = [source for source in sources if steps_left(source, known)]
    if narrator is not None:
        there = told_by(known, setting.narrative_summary_model)
        untold = [case for source in open_sources for case in source.cases if case.key not in there]
        await _for_each(untold, narrate, workers, lambda done: report("narratives", done, len(untold)))
    narratives = told_by(known, setting.narrative_summary_model) if narrator is not None else {}
    asked = (
        question
        for source in open_sources
        for question in source.contexts(narratives)
        if not known.decided(question[0].key)
    )
    total = sum(steps_left(source, known) for source in open_sources)
    at_once = max(1, workers // calls_per_check)
    await _for_each(asked, check, at_once, lambda done: report("checks", done, total))


def steps_left(source: LabelledTrajectory, known: Progress) -> int:
    """How many labelled steps of a trajectory have no verdict yet."""
    return sum(case.labelled and not known.decided(case.key) for case in source.cases)


async def _for_each(
    items: Iterable[T], work: Callable[[T], Awaitable[None]], workers: int, report: Callable[[int], None]
) -> None:
    """Do the work on all items, a limited number at a time; items are made lazily."""
    waiting, done = iter(items), 0

    async def worker() -> None:
        nonlocal done
        for item in waiting:
            await work(item)
            done += 1
            report(done)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        # One worker's error ended all others: it is the only one that matters.
        raise errors.exceptions[0] from None


async def _narrate(case: LabelledStep, narrator: Narrator) -> NarratedStep:
    if case.screens.before is None or case.screens.after is None:
        return NarratedStep(key=case.key, error=MISSING_SCREENS)
    step = PastStep(case.key.step, case.proposal, case.observation)
    made = await narrator.narrate(step, observe(case.screens.after), episode=case.key.trajectory)
    if made.text is None:
        return NarratedStep(key=case.key, error=made.error or "unknown")
    details = made.model_dump(mode="json", include={"latency", "usage"}, exclude_none=True)
    summary = NarrativeSummary.model_validate(
        {
            "step_idx": case.key.step,
            "action": strip_comments(case.entry.agent_output),
            "narrative": made.text,
            "model": made.model,
            **details,
        }
    )
    return NarratedStep(key=case.key, summary=summary)


async def _check(case: LabelledStep, context: GuardContext, guard: Guard, setting: GuardSetting) -> Evaluated:
    began = time.perf_counter()
    try:
        verdict = await guard.check(context)
    except Exception as error:  # a guard must not raise; one that does has decided nothing
        verdict = Verdict(decision=Decision.UNDECIDED, reason=f"{type(error).__name__}: {printable(str(error))}")
    took = time.perf_counter() - began
    untold = sum(step.narrative is None for step in context.history) if setting.narrative_summary_model else 0
    return Evaluated(key=case.key, evaluation=evaluation_of(case, verdict, setting, took, untold))


def evaluation_of(case: LabelledStep, verdict: Verdict, setting: GuardSetting, took: float, untold: int) -> Evaluation:
    """A verdict in the shape of the result file.

    Args:
        case: The step.
        verdict: What the guard said.
        setting: How it was set.
        took: Seconds, where the verdict does not say.
        untold: How many narratives of earlier steps should have been there and were not.
    """
    undecided = verdict.decision is Decision.UNDECIDED
    errors = [finding.error for finding in verdict.findings if finding.error]
    error = None
    if undecided:
        error = (
            MISSING_PRE_SCREENSHOT if case.screens.before is None else (errors or [verdict.reason or "undecided"])[-1]
        )
    return Evaluation.model_validate(
        {
            "systematic_analysis": setting.name,
            "systematic_analysis_model": setting.systematic_analysis_model,
            "fast_check_model": setting.fast_check_model,
            "is_misaligned": None if undecided else verdict.decision is Decision.MISALIGNED,
            "thought": verdict.reason,
            "time": took if verdict.latency is None else verdict.latency,
            "error": error,
            OPTIONS: setting.options,
            VERDICT: verdict.model_dump(mode="json", exclude_defaults=True),
            **({UNTOLD: untold} if untold else {}),
        }
    )
