"""The loop that both native agents share: report the results of the last calls, ask the model, read its next calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trueline.actions import Action, DecodedCall, DecodeError, Done, Fail, SafetyCheck, Size
from trueline.actions.codecs.claude import INFEASIBLE
from trueline.actions.decoded import well_formed
from trueline.agents.conversation import (
    CUT_OFF,
    MAX_ACTIONS,
    PACKAGE,
    ProposalIds,
    feedback_message,
    phrase,
    proposal_of,
    raw_text,
    refusal,
    screenshot,
    task_message,
)
from trueline.agents.native.dialect import Dialect
from trueline.agents.native.history import History, ShownScreen, call_results, stopped
from trueline.agents.native.options import NativeOptions
from trueline.agents.native.screenshots import picture
from trueline.agents.safety_checks import acknowledged_note, hold
from trueline.agents.types import AgentContext
from trueline.errors import InputError
from trueline.models import Answer, Image, Model, Request, ToolCall, user
from trueline.models.prompt_files import fill_prompts
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling
from trueline.records.step import ActionResult
from trueline.records.verdict import Feedback

REFUSED = "[REFUSED]"

Open = Callable[[AgentContext], Dialect]
"""Configures a provider's tool for an episode."""


@dataclass(frozen=True)
class _Episode:
    model: Model
    dialect: Dialect
    task: str
    name: str
    history: History = ()
    pending: tuple[DecodedCall, ...] = ()
    """Calls of the last answer that have no result yet."""
    unread: str = ""
    """Why those calls cannot be executed."""
    shot: Image | None = None
    """The screenshot that the model saw last."""
    notes: tuple[str, ...] = ()


class NativeAgent:
    """An agent that uses a model through its provider's computer tool."""

    def __init__(self, open_dialect: Open, options: NativeOptions, sampling: Sampling | None = None) -> None:
        self._open = open_dialect
        self._options = options
        self._sampling = sampling or Sampling()
        self._ids = ProposalIds()
        self._system = fill_prompts(PACKAGE, options.prompts, password=options.client_password)
        self._episode: _Episode | None = None

    @property
    def wants(self) -> ObservationSpec:
        """The screen at full resolution: the agent scales it itself, because a zoom needs every pixel."""
        return ObservationSpec(screenshot=True)

    def picture_size(self) -> Size | None:
        """The size in which the model gets the screen; `None` before an episode."""
        return self._episode.dialect.display if self._episode else None

    async def reset(self, ctx: AgentContext) -> None:
        """Start an episode."""
        task = task_message(ctx.instruction, ctx.plan)
        self._episode = _Episode(ctx.model(), self._open(ctx), task, ctx.episode)

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Show the model the results of its calls and the screen, and ask what to do next."""
        episode = self._begun()
        dialect, png = episode.dialect, screenshot(obs)
        shot = await picture(png, dialect.display)
        if not episode.history:
            return await self._ask(replace(episode, history=(user(episode.task, shot),), shot=shot), "propose")
        if episode.unread:
            found = [stopped(call, episode.unread) for call in episode.pending]
        else:
            found = await call_results(episode.pending, last, png, dialect.scale)
        checks = [check for result in found if result.ran for check in result.checks]
        notes = (acknowledged_note(checks, self._options.safety_checks),) if checks else ()
        history = dialect.reply(episode.history, found, ShownScreen(shot))
        return await self._ask(replace(episode, history=history, shot=shot, notes=notes), "propose")

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Return the feedback as the result of the rejected calls, and ask again."""
        self._ids.require_last(rejected)
        episode = self._begun()
        if episode.shot is None:
            raise InputError("nothing to revise: the agent has not proposed anything yet")
        words = feedback_message(feedback)
        if episode.pending:
            found = [stopped(call, words) for call in episode.pending]
            history = episode.dialect.reply(episode.history, found, ShownScreen(episode.shot, new=False))
        else:
            history = (*episode.history, user(words))
        return await self._ask(replace(episode, history=history, notes=()), "revise")

    async def _ask(self, episode: _Episode, stage: str) -> Proposal:
        """Ask until an answer can be parsed or the retries are used up."""
        answers: list[Answer] = []
        notes = list(episode.notes)
        while True:
            answer = await self._request(episode, stage)
            answers.append(answer)
            ended = _ended(answer, notes)
            if ended is not None:
                # What was cut off may hold half a call, which cannot be sent back.
                history = (*episode.history, answer.turn()) if answer.stop == "stop" else episode.history
                self._keep(episode, history, ())
                return proposal_of(self._ids.next(), answers, ended, thought=answer.reasoning, notes=notes)
            calls, problem = _read(answer, episode.dialect)
            history = (*episode.history, answer.turn())
            thought = "\n".join(part for part in (answer.reasoning, answer.text) if part)
            if not problem or len(answers) > self._options.format_retries:
                self._keep(episode, history, calls, problem)
                if problem:
                    notes.append(f"nothing could be read: {problem}")
                actions: list[Action] = [] if problem else [action for call in calls for action in call.actions]
                checks: list[SafetyCheck] = [check for call in calls for check in call.safety_checks]
                made = proposal_of(self._ids.next(), answers, actions, thought=thought, checks=checks, notes=notes)
                return hold(made, self._options.safety_checks)
            notes.append(f"nothing could be read, asked again: {problem}; the answer was: {raw_text(answer)}")
            assert episode.shot is not None, "a screen is shown before anything is asked"
            found = [stopped(call, phrase("unreadable", reason=problem)) for call in calls]
            episode = replace(
                episode, history=episode.dialect.reply(history, found, ShownScreen(episode.shot, new=False))
            )

    async def _request(self, episode: _Episode, stage: str) -> Answer:
        return await episode.model.ask(
            Request(
                messages=episode.dialect.window(episode.history, self._options.max_images),
                system=self._system,
                sampling=self._sampling,
                tools=(episode.dialect.tool,),
                purpose="agent",
                stage=stage,
                episode=episode.name,
            )
        )

    def _keep(self, episode: _Episode, history: History, pending: tuple[DecodedCall, ...], unread: str = "") -> None:
        history = episode.dialect.window(history, self._options.max_images)
        self._episode = replace(episode, history=history, pending=pending, unread=unread, notes=())

    def _begun(self) -> _Episode:
        if self._episode is None:
            raise InputError("the agent has no task yet; call reset first")
        return self._episode


def _ended(answer: Answer, notes: list[str]) -> tuple[Action, ...] | None:
    """Return the actions of an answer without calls: an end, or none if the answer was cut off."""
    if refused := refusal(answer):
        return (refused,)
    if answer.stop == "length":
        notes.append(CUT_OFF)
        return ()
    return None if answer.calls else (_end(well_formed(answer.text)),)


def _end(text: str) -> Action:
    """Read the end of the episode from an answer that calls no tool."""
    for word, refused in ((REFUSED, True), (INFEASIBLE, False)):
        if word in text:
            return Fail(reason=text.replace(word, "").strip() or None, refused=refused, raw=text)
    return Done(answer=text.strip() or None, raw=text)


def _read(answer: Answer, dialect: Dialect) -> tuple[tuple[DecodedCall, ...], str]:
    """Parse the calls of an answer; if one cannot be parsed, none may run and all are returned without actions."""
    try:
        calls = tuple(dialect.read(call) for call in answer.calls)
    except DecodeError as error:
        problem = error.reason
    else:
        number = sum(len(call.actions) for call in calls)
        if number <= MAX_ACTIONS:
            return calls, ""
        problem = f"it holds {number} actions; at most {MAX_ACTIONS} in one answer"
    return tuple(DecodedCall(call.id, (), _checks(call)) for call in answer.calls), problem


def _checks(call: ToolCall) -> tuple[SafetyCheck, ...]:
    """Return the safety checks of a call that cannot be parsed, so that they are not skipped silently."""
    pending = call.arguments.get("pending_safety_checks")
    checks = pending if isinstance(pending, list) else []
    return tuple(SafetyCheck(str(check.get("id"))) for check in checks if isinstance(check, dict))
