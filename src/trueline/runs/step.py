"""One step of an episode: observe, propose, check, act, settle, record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from trueline.actions import Action, CallUser, Done, Fail, KeyUp
from trueline.desktop.screen_state import ScreenState, observe_with_windows
from trueline.desktop.types import ActionInterrupted, ActionTimeout, Settled, TiesKeyboard
from trueline.guard.correction import Correction, Execution, Exhausted, Ruling, correct, target_changes
from trueline.guard.session import CheckOutcome, feedback_text
from trueline.records.end import End
from trueline.records.ledger import Changes
from trueline.records.observation import ObservationRecord, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt, Gap, Step, StepTimings
from trueline.records.usage import Usage
from trueline.records.verdict import Decision, Feedback
from trueline.runs.agent_calls import ask_proposal
from trueline.runs.faults import guard_failure
from trueline.runs.types import EpisodeParts, Oversight, Recorder

NOT_EXECUTED = "not executed"
NOBODY = "nobody answers here; go on alone, or end the task"


@dataclass
class StepInProgress:
    """A step in progress; `record` returns what exists of it so far."""

    number: int
    observation: ObservationRecord | None = None
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    results: list[ActionResult] = field(default_factory=list[ActionResult])
    gap: Gap | None = None
    changes: Changes | None = None
    late_stop: str | None = None
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    check: str | None = None
    """The guard's check under which it ran; reported with the next screen, from which its narrative is made."""
    reported: tuple[ActionResult, ...] = ()
    """The results that the agent gets with the next observation."""
    end: End | None = None
    detail: str = ""
    last_action: Action | None = None
    """The last action that ran."""
    after: ScreenState | None = None
    """The screen after it, with which the next step begins."""

    @property
    def record(self) -> Step:
        """The step as it stands."""
        return Step(
            number=self.number,
            observation=self.observation,
            attempts=tuple(self.attempts),
            results=tuple(self.results),
            gap=self.gap,
            changes=self.changes,
            late_stop=self.late_stop,
            timings=StepTimings.model_validate(self.seconds),
        )


async def run_step(
    step: StepInProgress, parts: EpisodeParts, recorder: Recorder, previous: StepInProgress | None
) -> None:
    """Play one step. If it raises, `step` has what happened so far."""
    began = asyncio.get_running_loop().time()
    try:
        async with _timed(step, "observe"):
            seen = (previous.after if previous else None) or await _observe(parts)
            step.observation = await asyncio.to_thread(recorder.keep_observation, seen.observation)
        await parts.task.seen(step.number, seen.observation, parts.agent)
        if parts.oversight is not None and previous is not None and previous.check is not None:
            await parts.oversight.session.executed(previous.check, after=seen.observation)
        allowed = await _decide(step, parts, seen, previous.reported if previous else ())
        step.end = allowed.end
        if allowed.proposal is None:
            step.reported = _not_run(step.attempts[-1].proposal, allowed.feedback)
            step.detail = allowed.feedback.wrong if allowed.feedback else ""
        else:
            step.check = allowed.check
            await _act(step, parts, recorder, allowed.proposal, allowed.execution)
            left = allowed.proposal.actions[len(step.results) :] if step.end is None else ()
            step.reported = (*step.results, *(ActionResult(action=action, error=NOT_EXECUTED) for action in left))
        async with _timed(step, "ledger"):
            step.changes = await parts.task.changes()
        if parts.oversight is not None and step.changes is not None:
            await _stop_late(step, parts.oversight, step.changes)
    finally:
        step.seconds["total"] = asyncio.get_running_loop().time() - began


async def _stop_late(step: StepInProgress, oversight: Oversight, changes: Changes) -> None:
    """End the episode if what the step changed lies outside the Scope; it is too late to prevent it."""
    reason = await oversight.session.late_reason(changes)
    if reason is not None and not oversight.policy.shadow:
        step.late_stop = reason
        step.end, step.detail = End.STOPPED_BY_GUARD, f"late stop: {reason}"


async def _observe(parts: EpisodeParts) -> ScreenState:
    if parts.oversight is None:
        return ScreenState(await parts.desktop.observe(_observation_spec(parts)))
    return await observe_with_windows(parts.desktop, _observation_spec(parts))


def _observation_spec(parts: EpisodeParts) -> ObservationSpec:
    """The observation needed in each step by the agent, the recorder and the guard."""
    want = parts.agent.wants | parts.also_want
    return want if parts.oversight is None else want | ObservationSpec(screenshot=True, tree=True)


@dataclass(frozen=True)
class _Allowed:
    """What may run in a step."""

    proposal: Proposal | None
    """The proposal to run; `None` if nothing runs."""
    check: str | None = None
    """Id of the guard's check, under which to report that it ran."""
    end: End | None = None
    """The episode ends here."""
    feedback: Feedback | None = None
    """Why nothing runs, for the agent."""
    execution: Execution | None = None
    """Runs it with the keyboard tied to a window; `None` where nobody asks for that or the desktop cannot."""


async def _decide(
    step: StepInProgress, parts: EpisodeParts, seen: ScreenState, last: tuple[ActionResult, ...]
) -> _Allowed:
    """Ask the agent, and the guard where there is one.

    Raises:
        Unfinished: The guard could not be asked, and nothing may run without it.
    """
    async with _timed(step, "propose"):
        proposal = await ask_proposal(parts.agent.propose(seen.observation, last))
    if parts.oversight is None:
        step.attempts.append(Attempt(proposal=proposal))
        parts.task.proposed(step.number, proposal, ran=True)
        return _Allowed(proposal)
    correction = Correction(seen, step.attempts)
    try:
        ruling = await _correct(step, parts, parts.oversight, proposal, correction)
    finally:
        step.gap = correction.gap
        step.seconds["guard"], step.seconds["verify"] = correction.guard_s, correction.verify_s
        for attempt in step.attempts:
            parts.task.proposed(step.number, attempt.proposal, ran=attempt.ran)
    outcome = ruling.outcome
    if ruling.runs:
        return _Allowed(outcome.proposal, outcome.id, execution=_execution(step, parts, outcome, correction))
    _require_verdict(outcome)
    return _Allowed(None, end=_given_up(parts.oversight.policy.exhausted), feedback=outcome.feedback)


def _require_verdict(outcome: CheckOutcome) -> None:
    """Raise Unfinished if the guard could not be asked."""
    undecided = outcome.verdict.decision is Decision.UNDECIDED and outcome.enforced == "block"
    if undecided and (unasked := guard_failure(outcome.verdict)) is not None:
        raise unasked


def _execution(
    step: StepInProgress, parts: EpisodeParts, outcome: CheckOutcome, correction: Correction
) -> Execution | None:
    oversight = parts.oversight
    tied = isinstance(parts.desktop, TiesKeyboard) and correction.screen.windows is not None
    if oversight is None or oversight.policy.shadow or not tied:
        return None

    async def look() -> ScreenState:
        async with _timed(step, "settle"):
            await _settle(parts)
        return await _observe(parts)

    return Execution(
        outcome,
        correction,
        oversight.session,
        oversight.policy,
        look=look,
        changes=partial(target_changes, parts.desktop),
        ask=oversight.ask,
    )


async def _correct(
    step: StepInProgress, parts: EpisodeParts, oversight: Oversight, proposal: Proposal, correction: Correction
) -> Ruling:
    async def revise(rejected: Proposal, feedback: Feedback) -> Proposal:
        async with _timed(step, "propose"):
            return await ask_proposal(parts.agent.revise(rejected, feedback))

    return await correct(
        proposal,
        correction,
        oversight.session,
        oversight.policy,
        look=lambda: _observe(parts),
        changes=partial(target_changes, parts.desktop),
        revise=revise,
        ask=oversight.ask,
    )


def _given_up(exhausted: Exhausted) -> End | None:
    """How the episode ends if no proposal of a step is allowed; `None` if it continues."""
    match exhausted:
        case "skip":
            return None
        case "fail":
            return End.FAIL
        case "stop" | "ask":
            return End.STOPPED_BY_GUARD


async def _act(
    step: StepInProgress, parts: EpisodeParts, recorder: Recorder, proposal: Proposal, execution: Execution | None
) -> None:
    """Do the actions in order, with a screenshot after each; an action that ends the episode is the last one."""
    last = len(proposal.actions) - 1
    for place, action in enumerate(proposal.actions):
        id = f"{step.number}-{proposal.id}-{place}"
        if execution is None:
            async with _timed(step, "act"):
                result = await _do(parts, _without_pause(action) if place == last else action, id)
        else:
            result = await _do_tied(step, parts, execution, id, last=place == last)
        stopped = execution is not None and execution.stopped
        step.results.append(result)
        step.last_action = action
        step.end, step.detail = (None, "") if stopped else _ending(action)
        async with _timed(step, "settle"):
            if step.end is None:
                await _settle(parts)
        shot = await _shot(step, parts, last=place == last or stopped)
        if shot is not None:
            time = result.time or datetime.now(UTC)
            kept = await asyncio.to_thread(recorder.keep_screenshot, shot, step=step.number, time=time)
            step.results[-1] = result.model_copy(update={"screenshot": kept})
        if execution is not None and stopped:
            for number, released in enumerate(proposal.actions[place + 1 :]):
                if isinstance(released, KeyUp):
                    await parts.desktop.act(released, id=f"{id}-release{number}")
            _require_verdict(execution.outcome)
        if step.end is not None or stopped:
            return


async def _do_tied(
    step: StepInProgress, parts: EpisodeParts, execution: Execution, id: str, *, last: bool
) -> ActionResult:
    """Do the next action with the keyboard tied to a window; see `Execution`."""

    async def act(action: Action, suffix: str, window: int) -> ActionResult:
        async with _timed(step, "act"):
            return await _do(parts, _without_pause(action) if last else action, f"{id}{suffix}", window)

    result = await execution.do_next(act)
    if result.cut_offs:
        step.check = None if execution.stopped else execution.outcome.id
        step.seconds["guard"], step.seconds["verify"] = execution.correction.guard_s, execution.correction.verify_s
        parts.task.proposed(step.number, execution.outcome.proposal, ran=not execution.stopped)
    return result


def _without_pause(action: Action) -> Action:
    """The action without its pause, which stands between two calls; after the last one the screen is waited for."""
    return action.model_copy(update={"pause_after": 0.0})


async def _shot(step: StepInProgress, parts: EpisodeParts, *, last: bool) -> bytes | None:
    """The screen after an action; after the last one it is what the next step begins with, so it is observed once."""
    if last and step.end is None and _observation_spec(parts).size is None:
        async with _timed(step, "observe"):
            step.after = await _observe(parts)
        return step.after.observation.png()
    return (await parts.desktop.observe(ObservationSpec(screenshot=True))).png()


async def _do(parts: EpisodeParts, action: Action, id: str, window: int | None = None) -> ActionResult:
    """Do one action; one that runs out of its time, or whose worker is killed, is the agent's own doing."""
    at = datetime.now(UTC)
    if isinstance(action, CallUser):
        return ActionResult(action=action, id=id, time=at, error=NOBODY)
    try:
        if window is not None and isinstance(parts.desktop, TiesKeyboard):
            return await parts.desktop.act_in(action, id=id, window=window)
        return await parts.desktop.act(action, id=id)
    except (ActionTimeout, ActionInterrupted) as error:
        return ActionResult(action=action, id=id, time=at, error=str(error))


def _ending(action: Action) -> tuple[End | None, str]:
    match action:
        case Done():
            return End.DONE, action.answer or ""
        case Fail(refused=True):
            return End.REFUSED, action.reason or ""
        case Fail():
            return End.FAIL, action.reason or ""
        case _:
            return None, ""


async def _settle(parts: EpisodeParts) -> None:
    if parts.pace.extra:
        await asyncio.sleep(parts.pace.extra)
    await parts.desktop.wait_for(Settled(parts.pace.quiet), time_limit=parts.pace.most)


def _not_run(proposal: Proposal, feedback: Feedback | None) -> tuple[ActionResult, ...]:
    """The results for an agent whose proposal was dropped."""
    error = feedback_text(feedback) if feedback else NOT_EXECUTED
    return tuple(ActionResult(action=action, error=error) for action in proposal.actions)


@asynccontextmanager
async def _timed(step: StepInProgress, what: str) -> AsyncGenerator[None]:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        yield
    finally:
        step.seconds[what] = step.seconds.get(what, 0.0) + loop.time() - began


def usages(steps: Sequence[Step], other_usage: Sequence[Usage]) -> tuple[int, float]:
    """Tokens and known money that the agent and the guard took in these steps, and what others took."""
    taken = list(other_usage)
    for step in steps:
        verdicts = [verdict for attempt in step.attempts for verdict in attempt.verdicts]
        verdicts += [verdict for result in step.results for cut in result.cut_offs for verdict in cut.verdicts]
        found = [finding.usage for verdict in verdicts for finding in verdict.findings]
        own = [attempt.proposal.usage for attempt in step.attempts]
        taken += [usage for usage in (*own, *found) if usage is not None]
    return sum(one.input_tokens + one.output_tokens for one in taken), sum(one.cost or 0.0 for one in taken)
