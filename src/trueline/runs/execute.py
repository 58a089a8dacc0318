"""Runs one episode from set-up to score. It reads no files and no registries: the caller passes in everything."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from trueline.actions import Fail
from trueline.desktop.types import DesktopError, DesktopLost, DesktopUnavailable, TellsDeaths
from trueline.errors import InputError
from trueline.models.waiting import Waiting, observed
from trueline.records.attack import Funnel
from trueline.records.end import End, Unscored
from trueline.records.episode import CheckRecord, EpisodeError, EpisodeTimings, Retry
from trueline.records.episode_state import is_success
from trueline.records.events import Accounted, Ended, Failed, Retried
from trueline.records.folder.files import DiskFullError
from trueline.records.observation import ObservationSpec, StoredFile
from trueline.records.step import Step
from trueline.runs.agent_calls import call_agent
from trueline.runs.faults import OUTAGE, death_by_agent, death_not_by_agent, describe_error, unfinished_reason
from trueline.runs.step import StepInProgress, run_step, usages
from trueline.runs.types import AgentFailed, EpisodeParts, FailedTry, Recorder, Scored, Unfinished
from trueline.tasks.errors import CheckerError, SetupError


@dataclass
class _Episode:
    """The state of a running episode."""

    began: float
    steps: list[Step]
    funnel: Funnel | None = None
    finish: _Finish | None = None
    """How the last try ended, where nothing scores it."""
    setup_s: float = 0.0
    check_s: float = 0.0
    wait_s: float = 0.0
    played_s: float = 0.0


@dataclass(frozen=True)
class _Finish:
    """How a try ended."""

    end: End
    detail: str
    failed: bool
    """The agent's last word was FAIL."""


async def execute(parts: EpisodeParts, recorder: Recorder) -> Ended:
    """Play an episode and return how it ended. Everything else goes to the recorder.

    Raises:
        DiskFullError: Nothing more can be recorded; what was recorded is intact.
    """
    loop = asyncio.get_running_loop()
    episode = _Episode(loop.time(), [])
    unscored: Unfinished | None = None
    finish: _Finish | None = None
    scored: Scored | None = None
    try:
        finish, scored = await _play_tries(parts, recorder, episode)
    except DiskFullError:
        raise
    except Exception as error:
        unscored = _unfinished(parts, error, len(episode.steps))
        finish = episode.finish
        shot = await _screen(parts, recorder) if unscored.reason is Unscored.SETUP_ERROR else None
        if unscored.reason is not Unscored.NO_CHECKER:
            _note(recorder, unscored.where, str(unscored), len(episode.steps), shot)
    checks: tuple[CheckRecord, ...] = scored.checks if scored else ()
    timings = EpisodeTimings(
        setup=episode.setup_s,
        check=episode.check_s,
        steps=sum(step.timings.total or 0.0 for step in episode.steps if step.timings),
        total=loop.time() - episode.began - episode.wait_s,
        wait=episode.wait_s,
    )
    return Ended(
        time=datetime.now(UTC),
        end=finish.end if finish else None,
        unscored=unscored.reason if unscored else None,
        score=scored.score if scored and unscored is None else None,
        scored_by=scored.scored_by if scored and unscored is None else None,
        detail=str(unscored) if unscored else finish.detail if finish else "",
        funnel=episode.funnel,
        checks=checks,
        timings=timings,
    )


def _unfinished(parts: EpisodeParts, error: Exception, step: int) -> Unfinished:
    """Why there is no score; equal texts for the same death at the same step."""
    died = parts.desktop.died if isinstance(parts.desktop, TellsDeaths) else None
    if died is not None and isinstance(error, DesktopLost):
        return Unfinished(Unscored.DESKTOP_LOST, "desktop", f"{died} (in step {step})")
    return unfinished_reason(error)


async def _play_tries(parts: EpisodeParts, recorder: Recorder, episode: _Episode) -> tuple[_Finish, Scored]:
    """Play the task, and retry it if the method says so."""
    number = 1
    while True:
        await _prepare(parts, episode)
        begins = len(episode.steps)
        finish = await _play(parts, recorder, episode)
        await _account(parts, recorder, episode)
        if not parts.task.has_checker:
            episode.finish = finish
            await _look_at_attack(parts, recorder, episode, finish, None)
            raise Unfinished(Unscored.NO_CHECKER, "checker", "the task has no checker; a judge can say how it went")
        try:
            scored = await _check(parts, episode, finish)
        except Exception:
            # Nobody knows whether the task was done, but how far the attack got can be seen.
            await _look_at_attack(parts, recorder, episode, finish, None)
            raise
        finally:
            if (checked := parts.task.checked()) is not None:
                recorder.keep_evidence(checked.evidence, checked.contents)
        await _look_at_attack(parts, recorder, episode, finish, scored)
        retrying = parts.retrying
        if retrying is None or is_success(scored.score) or _used_up(parts, episode):
            return finish, scored
        message = await retrying.after(FailedTry(number, finish.end, scored.score, tuple(episode.steps[begins:])))
        if message is None:
            return finish, scored
        retry = Retry(
            after_step=len(episode.steps), end=finish.end, score=scored.score, message=message.text, usage=message.usage
        )
        recorder.append(Retried(time=datetime.now(UTC), retry=retry))
        if message.usage is not None:
            parts.other_usage.append(message.usage)
        parts = _next_try(parts, message.text)
        number += 1
        await parts.desktop.reset()


def _used_up(parts: EpisodeParts, episode: _Episode) -> bool:
    """Whether the limits shared by all tries leave nothing for another one."""
    total = parts.retrying.max_total_steps if parts.retrying else None
    seconds = parts.limits.timeout
    steps_over = total is not None and len(episode.steps) >= total
    return steps_over or (seconds is not None and episode.played_s >= seconds)


def _next_try(parts: EpisodeParts, message: str) -> EpisodeParts:
    """The parts of the next try, with the user's message for agent and guard."""
    instruction = f"{parts.context.instruction}\n\n{message}"
    oversight = parts.oversight
    if oversight is not None and oversight.renew is not None:
        session = oversight.renew(f"{oversight.session.instruction}\n\n{message}")
        oversight = replace(oversight, session=session)
    return replace(parts, context=replace(parts.context, instruction=instruction), oversight=oversight)


async def _prepare(parts: EpisodeParts, episode: _Episode) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        await parts.task.prepare()
    except (SetupError, DesktopError, DesktopUnavailable, DiskFullError):
        raise
    except Exception as error:
        raise SetupError(describe_error(error)) from error
    finally:
        episode.setup_s += loop.time() - began


async def _account(parts: EpisodeParts, recorder: Recorder, episode: _Episode) -> None:
    """Record what this try changed, before the checker changes anything itself."""
    try:
        ledger = await parts.task.ledger()
    except DesktopError as error:
        _note(recorder, "ledger", str(error), len(episode.steps))
        return
    if ledger is not None:
        recorder.append(Accounted(time=datetime.now(UTC), ledger=ledger))


async def _check(parts: EpisodeParts, episode: _Episode, finish: _Finish) -> Scored:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        # The loss may be so fresh that the desktop still answers.
        died = parts.desktop.died if isinstance(parts.desktop, TellsDeaths) else None
        if died is not None and not died.by_agent:
            raise DesktopLost(str(died))
        return await parts.task.check(failed=finish.failed)
    except DiskFullError:
        raise
    except Exception as error:
        if why := death_by_agent(parts.desktop):
            check = CheckRecord(name="evaluator", passed=None, detail=f"{why}, so it could not be checked: {error}")
            return Scored(parts.unchecked_score, (check,))
        if lost := death_not_by_agent(parts.desktop, error):
            raise DesktopLost(lost) from error
        if isinstance(error, CheckerError | DesktopError | DesktopUnavailable):
            raise
        raise CheckerError(describe_error(error)) from error
    finally:
        episode.check_s += loop.time() - began


async def _look_at_attack(
    parts: EpisodeParts, recorder: Recorder, episode: _Episode, finish: _Finish, scored: Scored | None
) -> None:
    """Read how far the attack got in this try, before desktop and sinks are reset."""
    try:
        funnel = await parts.task.funnel(finish.end, scored)
    except Exception as error:
        # The score stands; that nobody knows how far the attack got must be seen.
        _note(recorder, "attack checker", describe_error(error), len(episode.steps))
        return
    before = episode.funnel
    if funnel is not None and before is not None and before.achieved and not funnel.achieved:
        funnel = before
    episode.funnel = funnel


async def _play(parts: EpisodeParts, recorder: Recorder, episode: _Episode) -> _Finish:
    """Let the agent act until it ends the task or a limit does; all tries share one time limit.

    Raises:
        Unfinished: The time ran out while, or because, a model gave no answer.
    """
    loop = asyncio.get_running_loop()
    seconds = parts.limits.timeout
    began = loop.time()
    async with parts.slot():
        episode.wait_s += loop.time() - began
        began, since = loop.time(), time.monotonic()
        with observed() as waiting:
            playing = asyncio.ensure_future(_play_steps(parts, recorder, episode))
        try:
            left = None if seconds is None else max(0.0, seconds - episode.played_s)
            await asyncio.wait([playing], timeout=left)
            expired = not playing.done()
            unanswered = await _unanswered(waiting, parts.slow_answer) if expired else ""
        finally:
            episode.played_s += loop.time() - began
            playing.cancel()
            await asyncio.wait([playing])
            waiting.release()
        if seconds is None or not expired:
            return playing.result()
        if not playing.cancelled() and (error := playing.exception()) is not None:
            raise error
        # Also when the agent took no notice and ended in its own way.
        lost = waiting.lost_s(since)
        if unanswered or episode.played_s - lost < seconds:
            who = unanswered or f"models gave no answer for {lost:.1f} s of it"
            raise Unfinished(Unscored.MODEL_ERROR, OUTAGE, f"the time limit of {seconds:g} s is over, but {who}")
        return _Finish(End.TIME_LIMIT, f"{seconds:g} s are over", failed=False)


async def _unanswered(waiting: Waiting, slow_s: float) -> str:
    """Which model does not answer at the time limit; a slow one gets a grace period."""
    calls = tuple(waiting.calls)
    if not calls or await waiting.answered(max(slow_s, 2 * waiting.longest_answer_s)):
        return ""
    return f"{calls[0]} has not answered for {calls[0].seconds:.0f} s"


async def _play_steps(parts: EpisodeParts, recorder: Recorder, episode: _Episode) -> _Finish:
    steps = episode.steps
    first = len(steps)
    previous: StepInProgress | None = None
    try:
        await call_agent(parts.agent.reset(parts.context))
    except AgentFailed as error:
        if isinstance(error.__cause__, InputError):
            # Set wrongly (no model, a class that cannot be made): nothing the agent did.
            raise Unfinished(Unscored.SETUP_ERROR, "agent", str(error)) from error
        _note(recorder, "agent", str(error), first)
        return _Finish(End.AGENT_ERROR, str(error), failed=False)
    while True:
        if reached := _limit_reached(parts, episode, first):
            return reached
        step = StepInProgress(len(steps) + 1)
        try:
            await run_step(step, parts, recorder, previous)
        except AgentFailed as error:
            _note(recorder, "agent", str(error), step.number)
            return _Finish(End.AGENT_ERROR, str(error), failed=False)
        except DesktopError as error:
            if not (why := death_by_agent(parts.desktop)):
                raise
            _note(recorder, "desktop", f"{why}: {error}", step.number)
            return _Finish(End.AGENT_ERROR, why, failed=False)
        finally:
            # Also when it was cut off in the middle: what was proposed and done so far is part of the record.
            _record(step, recorder, steps)
        previous = step
        if step.end is not None:
            failed = isinstance(step.last_action, Fail) or step.end is End.FAIL
            return _Finish(step.end, step.detail, failed=failed)


def _limit_reached(parts: EpisodeParts, episode: _Episode, first: int) -> _Finish | None:
    """Whether a limit ends the episode before the next step."""
    limits, steps = parts.limits, episode.steps
    if limits.max_steps is not None and len(steps) - first >= limits.max_steps:
        return _Finish(End.STEP_LIMIT, f"{limits.max_steps} steps are used up", failed=False)
    total = parts.retrying.max_total_steps if parts.retrying else None
    if total is not None and len(steps) >= total:
        return _Finish(End.STEP_LIMIT, f"{total} steps of all tries are used up", failed=False)
    tokens, cost = usages(steps, parts.other_usage)
    if limits.max_tokens is not None and tokens >= limits.max_tokens:
        return _Finish(End.EPISODE_BUDGET, f"{tokens} of {limits.max_tokens} tokens are used up", failed=False)
    if limits.max_cost is not None and cost >= limits.max_cost:
        return _Finish(End.EPISODE_BUDGET, f"${cost:.4f} of ${limits.max_cost:g} are spent", failed=False)
    return None


def _record(step: StepInProgress, recorder: Recorder, steps: list[Step]) -> None:
    """Record the step, unless nothing happened in it."""
    if step.observation is None:
        return
    record = step.record
    recorder.step(record)
    steps.append(record)


async def _screen(parts: EpisodeParts, recorder: Recorder) -> StoredFile | None:
    """Record the screen after a failed set-up, if it can still be observed."""
    try:
        shot = (await parts.desktop.observe(ObservationSpec(screenshot=True))).png()
        if shot is None:
            return None
        return await asyncio.to_thread(recorder.keep_screenshot, shot, step=0, time=datetime.now(UTC))
    except DiskFullError:
        raise
    except Exception:
        return None


def _note(recorder: Recorder, where: str, message: str, step: int, screenshot: StoredFile | None = None) -> None:
    now = datetime.now(UTC)
    error = EpisodeError(where=where, message=message, time=now, step=step, screenshot=screenshot)
    recorder.append(Failed(time=now, error=error))
    recorder.log(f"{where}: {message}")
