"""One episode from set-up to score. Knows no files and no registries: everything it needs is handed to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from trueline.actions import Fail
from trueline.desktop.types import DesktopError, DesktopUnavailable
from trueline.errors import InputError, TruelineError
from trueline.models.errors import BudgetSpentError, MissingKeyError, ModelError, UnsupportedError
from trueline.records.end import End, Unscored
from trueline.records.episode import Check, EpisodeError, EpisodeTimings, Retry
from trueline.records.events import Ended, Failed, Retried
from trueline.records.folder.files import DiskFullError
from trueline.records.step import Step
from trueline.runs.turn import Turn, of_agent, take_turn, usages
from trueline.runs.types import AgentFailed, Parts, Recorder, Scored, Tried, Unfinished
from trueline.tasks.errors import CheckerError, SetupError
from trueline.text import printable

OUTAGE = "model outage"
"""Where an error stands that may be over later: asking again is not in vain."""


@dataclass
class _Episode:
    """What an episode has come to."""

    began: float
    steps: list[Step]
    setup_s: float = 0.0
    check_s: float = 0.0
    wait_s: float = 0.0


@dataclass(frozen=True)
class _Finish:
    """How a try ended."""

    end: End
    detail: str
    failed: bool
    """The agent's last word was FAIL."""


async def execute(parts: Parts, recorder: Recorder) -> Ended:
    """Play an episode and say how it ended. Everything on the way goes to the recorder.

    Raises:
        DiskFullError: Nothing more can be recorded; what was recorded is intact.
    """
    loop = asyncio.get_running_loop()
    episode = _Episode(loop.time(), [])
    unscored: Unfinished | None = None
    finish: _Finish | None = None
    scored: Scored | None = None
    try:
        try:
            finish, scored = await _tries(parts, recorder, episode)
        except BudgetSpentError as error:
            raise Unfinished(Unscored.RUN_BUDGET_SPENT, "model", str(error)) from error
        except (ModelError, MissingKeyError, UnsupportedError) as error:
            outage = isinstance(error, ModelError) and error.retryable
            raise Unfinished(Unscored.MODEL_ERROR, OUTAGE if outage else "model", str(error)) from error
        except SetupError as error:
            raise Unfinished(Unscored.SETUP_ERROR, "setup", str(error)) from error
        except CheckerError as error:
            raise Unfinished(Unscored.CHECKER_ERROR, "checker", str(error)) from error
        except (DesktopError, DesktopUnavailable) as error:
            raise Unfinished(Unscored.DESKTOP_LOST, "desktop", str(error)) from error
        except DiskFullError:
            raise
        except Exception as error:
            # Nobody thought of it. It is no doing of the agent, so it must not count against it.
            said = f"{type(error).__name__}: {printable(str(error), 500)}"
            raise Unfinished(Unscored.DESKTOP_LOST, "runner", said) from error
    except Unfinished as error:
        unscored = error
        _note(recorder, error.where, str(error), len(episode.steps))
    funnel = None
    if finish is not None and scored is not None:
        try:
            funnel = await parts.scene.funnel(finish.end, scored)
        except TruelineError as error:
            # The score stands; that nobody knows how far the attack got must be seen.
            _note(recorder, "attack checker", str(error), len(episode.steps))
    checks: tuple[Check, ...] = scored.checks if scored else ()
    now = loop.time()
    timings = EpisodeTimings(
        setup=episode.setup_s,
        check=episode.check_s,
        steps=sum(step.timings.total or 0.0 for step in episode.steps if step.timings),
        total=now - episode.began - episode.wait_s,
        wait=episode.wait_s,
    )
    return Ended(
        time=datetime.now(UTC),
        end=finish.end if finish else None,
        unscored=unscored.reason if unscored else None,
        score=scored.score if scored and unscored is None else None,
        detail=str(unscored) if unscored else finish.detail if finish else "",
        funnel=funnel,
        checks=checks,
        timings=timings,
    )


async def _tries(parts: Parts, recorder: Recorder, episode: _Episode) -> tuple[_Finish, Scored]:
    """Play the task, again after a failed try where that is the method."""
    context, number = parts.context, 1
    while True:
        await _prepare(parts, episode)
        begins = len(episode.steps)
        finish = await _play(replace(parts, context=context), recorder, episode)
        scored = await _check(parts, episode, finish)
        retrying = parts.retrying
        left = None if retrying is None or retrying.max_total_steps is None else retrying.max_total_steps
        if retrying is None or scored.score >= 1 or (left is not None and len(episode.steps) >= left):
            return finish, scored
        word = await retrying.after(Tried(number, finish.end, scored.score, tuple(episode.steps[begins:])))
        if word is None:
            return finish, scored
        retry = Retry(
            after_step=len(episode.steps), end=finish.end, score=scored.score, message=word.text, usage=word.usage
        )
        recorder.append(Retried(time=datetime.now(UTC), retry=retry))
        context = replace(parts.context, instruction=f"{parts.context.instruction}\n\n{word.text}")
        number += 1
        await parts.desktop.reset()


async def _prepare(parts: Parts, episode: _Episode) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        await parts.scene.prepare()
    finally:
        episode.setup_s += loop.time() - began


async def _check(parts: Parts, episode: _Episode, finish: _Finish) -> Scored:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        return await parts.scene.check(failed=finish.failed)
    finally:
        episode.check_s += loop.time() - began


async def _play(parts: Parts, recorder: Recorder, episode: _Episode) -> _Finish:
    """Let the agent act until it ends the task or a limit does."""
    limits = parts.limits
    seconds = limits.timeout
    try:
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with parts.floor():
            episode.wait_s += loop.time() - began
            async with asyncio.timeout(seconds):
                return await _turns(parts, recorder, episode)
    except TimeoutError:
        return _Finish(End.TIME_LIMIT, f"{seconds or 0:g} s are over", failed=False)


async def _turns(parts: Parts, recorder: Recorder, episode: _Episode) -> _Finish:
    steps = episode.steps
    first = len(steps)
    before: Turn | None = None
    try:
        await of_agent(parts.agent.reset(parts.context))
    except AgentFailed as error:
        if isinstance(error.__cause__, InputError):
            # Set wrongly (no model, a class that cannot be made): nothing the agent did.
            raise Unfinished(Unscored.SETUP_ERROR, "agent", str(error)) from error
        _note(recorder, "agent", str(error), first)
        return _Finish(End.AGENT_ERROR, str(error), failed=False)
    while True:
        if over := _over(parts, steps, first):
            return over
        turn = Turn(len(steps) + 1)
        try:
            await take_turn(turn, parts, recorder, before)
        except AgentFailed as error:
            _note(recorder, "agent", str(error), turn.number)
            return _Finish(End.AGENT_ERROR, str(error), failed=False)
        finally:
            # Also when it was cut off in the middle: what was proposed and done so far is part of the record.
            _record(turn, recorder, steps)
        before = turn
        if turn.end is not None:
            failed = isinstance(turn.last, Fail) or turn.end is End.FAIL
            return _Finish(turn.end, turn.detail, failed=failed)


def _over(parts: Parts, steps: list[Step], first: int) -> _Finish | None:
    """Whether a limit ends the episode before the next step."""
    limits = parts.limits
    if limits.max_steps is not None and len(steps) - first >= limits.max_steps:
        return _Finish(End.STEP_LIMIT, f"{limits.max_steps} steps are used up", failed=False)
    total = parts.retrying.max_total_steps if parts.retrying else None
    if total is not None and len(steps) >= total:
        return _Finish(End.STEP_LIMIT, f"{total} steps of all tries are used up", failed=False)
    tokens, cost = usages(steps)
    if limits.max_tokens is not None and tokens >= limits.max_tokens:
        return _Finish(End.EPISODE_BUDGET, f"{tokens} of {limits.max_tokens} tokens are used up", failed=False)
    if limits.max_cost is not None and cost >= limits.max_cost:
        return _Finish(End.EPISODE_BUDGET, f"${cost:.4f} of ${limits.max_cost:g} are spent", failed=False)
    return None


def _record(turn: Turn, recorder: Recorder, steps: list[Step]) -> None:
    """Put the step on disk; a turn that got to nothing is none."""
    if turn.observation is None:
        return
    recorder.step(turn.step)
    steps.append(turn.step)


def _note(recorder: Recorder, where: str, message: str, step: int) -> None:
    now = datetime.now(UTC)
    recorder.append(Failed(time=now, error=EpisodeError(where=where, message=message, time=now, step=step)))
    recorder.log(f"{where}: {message}")
