"""The prompt agent and its options. It shows the screen, asks the model and parses the answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Self

from pydantic import Field, model_validator

from trueline.actions import Size
from trueline.agents.conversation import (
    CUT_OFF,
    LONGEST_WORDS,
    PACKAGE,
    ProposalIds,
    feedback_message,
    phrase,
    proposal_of,
    refusal,
    task_message,
    why_dropped,
)
from trueline.agents.prompt.observation_message import ObservationParts, ObservationType, observation_parts, words
from trueline.agents.prompt.read_answer import ActionSpace, read_answer
from trueline.agents.types import AgentContext
from trueline.errors import InputError
from trueline.models import Answer, Message, Model, Request, Text, TooLongError, assistant, user
from trueline.models.prompt_files import fill_prompts
from trueline.records.base import Count, Record
from trueline.records.observation import Observation, ObservationSpec
from trueline.records.proposal import Proposal
from trueline.records.setting import Sampling
from trueline.records.step import ActionResult
from trueline.records.tree import Mark
from trueline.records.verdict import Feedback

_SEES: dict[ObservationType, str] = {
    "screenshot": "sees.screenshot.v1",
    "a11y_tree": "sees.a11y_tree.v2",
    "screenshot_a11y_tree": "sees.screenshot_a11y_tree.v2",
    "som": "sees.som.v2",
}


class PromptOptions(Record):
    """What the prompt agent sees, how it acts, and how much it remembers.

    The defaults are those of OSWorld's and OS-Harm's `run.py`.
    """

    observation_type: ObservationType = "a11y_tree"
    action_space: ActionSpace = "pyautogui"
    max_trajectory_length: Count = 3
    """Number of earlier steps that the model is shown."""
    a11y_tree_max_tokens: Annotated[int, Field(ge=1)] = 10_000
    """Longer trees are cut; tokens are counted approximately as for GPT-4."""
    client_password: str = "password"  # noqa: S105 - what every OSWorld machine has
    """Password of the account that the agent works in."""
    format_retries: Annotated[int, Field(ge=0, le=10)] = 0
    """How often the model is asked again in the same step after an answer that cannot be parsed. OSWorld and OS-Harm do
    not ask again: the step is used up."""
    action_errors: bool = False
    """Whether the model is told that its last action failed; in OSWorld and OS-Harm it only sees the screen."""

    safety_prompt: bool = False
    """Whether the model is told to stay on task and do no harm; this changes results."""

    @model_validator(mode="after")
    def _tags_are_code(self) -> Self:
        if self.observation_type == "som" and self.action_space == "computer_13":
            raise ValueError("observation_type som needs action_space pyautogui: computer_13 cannot refer to tags")
        return self

    @property
    def wants(self) -> ObservationSpec:
        """What the agent must see."""
        kind = self.observation_type
        return ObservationSpec(screenshot=kind != "a11y_tree", tree=kind.endswith("a11y_tree"), marks=kind == "som")

    @property
    def prompts(self) -> tuple[str, ...]:
        """Files of the system prompt."""
        acts = "acts.tags.v2" if self.observation_type == "som" else f"acts.{self.action_space}.v1"
        safety = ("safety.v1",) if self.safety_prompt else ()
        return ("role.v1", *safety, _SEES[self.observation_type], acts, "ends.v1")


@dataclass(frozen=True)
class _Step:
    """One step as it appears in the model's history."""

    seen: ObservationParts
    marks: tuple[Mark, ...] | None = None
    """Elements that the model may call `tag_N`."""
    before: tuple[tuple[str, str], ...] = ()
    """Rejected answers of this step, each with the reply that the model got."""
    answer: str = ""


@dataclass(frozen=True)
class _Episode:
    model: Model
    system: str
    screen: Size
    name: str


class PromptAgent:
    """Shows the model the last steps and the screen, and parses actions from its answer."""

    def __init__(self, options: PromptOptions | None = None, sampling: Sampling | None = None) -> None:
        self._options = options or PromptOptions()
        self._sampling = sampling or Sampling()
        self._ids = ProposalIds()
        self._episode: _Episode | None = None
        self._steps: deque[_Step] = deque(maxlen=self._options.max_trajectory_length + 1)

    @property
    def wants(self) -> ObservationSpec:
        """What the agent must see."""
        return self._options.wants

    def reads(self, obs: Observation) -> str | None:
        """The text that the model reads of a screen."""
        return words(obs, self._options.observation_type, self._options.a11y_tree_max_tokens)

    async def reset(self, ctx: AgentContext) -> None:
        """Start an episode."""
        options = self._options
        width, height = ctx.screen
        role = fill_prompts(PACKAGE, options.prompts, width=width, height=height, password=options.client_password)
        system = f"{role}\n\n{task_message(ctx.instruction, ctx.plan)}"
        self._episode = _Episode(ctx.model(), system, ctx.screen, ctx.episode)
        self._steps.clear()

    async def propose(self, obs: Observation, last: tuple[ActionResult, ...]) -> Proposal:
        """Ask the model what to do next."""
        options = self._options
        seen = await observation_parts(obs, options.observation_type, options.a11y_tree_max_tokens)
        if told := self._feedback_note(last):
            words = Text(text=told)
            seen = ObservationParts((words, *seen.now), (words, *seen.later))
        window = options.max_trajectory_length
        history = list(self._steps)[-window:] if window else []
        proposal, step = await self._ask(_Step(seen, obs.marks if self.wants.marks else None), history, "propose")
        self._steps.append(step)
        return proposal

    async def revise(self, rejected: Proposal, feedback: Feedback) -> Proposal:
        """Tell the model why its answer was rejected, and ask again."""
        self._ids.require_last(rejected)
        if not self._steps:
            raise InputError("nothing to revise: the agent has not proposed anything yet")
        *history, step = self._steps
        told = (step.answer, feedback_message(feedback))
        proposal, step = await self._ask(replace(step, before=(*step.before, told)), history, "revise")
        self._steps[-1] = step
        return proposal

    def _feedback_note(self, last: tuple[ActionResult, ...]) -> str:
        """The note about the last actions: always if they were dropped, with `action_errors` also if they failed."""
        if why := why_dropped(last):
            return why
        error = next((result.error for result in last if result.error), None)
        return phrase("action failed", error=error[:LONGEST_WORDS]) if error and self._options.action_errors else ""

    async def _ask(self, step: _Step, history: list[_Step], stage: str) -> tuple[Proposal, _Step]:
        """Ask until an answer can be parsed or the retries are used up."""
        episode, options = self._begun(), self._options
        answers: list[Answer] = []
        notes: list[str] = []
        tries = 1 + options.format_retries
        while True:
            answer = await self._answer(step, history, stage, notes)
            answers.append(answer)
            step = replace(step, answer=answer.text)
            if refused := refusal(answer):
                return proposal_of(self._ids.next(), answers, (refused,), notes=notes), step
            if answer.stop == "length":
                notes.append(CUT_OFF)
            reading = read_answer(answer.text, options.action_space, episode.screen, step.marks)
            if reading.actions or len(answers) == tries:
                if reading.problem:
                    notes.append(f"nothing could be read: {reading.problem}")
                id = self._ids.next()
                return proposal_of(id, answers, reading.actions, thought=reading.thought, notes=notes), step
            notes.append(f"nothing could be read, asked again: {reading.problem}; the answer was: {answer.text}")
            told = (answer.text, phrase("unreadable", reason=reading.problem))
            step = replace(step, before=(*step.before, told))

    async def _answer(self, step: _Step, history: list[_Step], stage: str, notes: list[str]) -> Answer:
        try:
            return await self._request(_conversation(history, step), stage)
        except TooLongError:
            if not history:
                raise
        notes.append("the earlier steps were left out, because with them the question was too long for the model")
        return await self._request(_conversation((), step), stage)

    async def _request(self, messages: tuple[Message, ...], stage: str) -> Answer:
        episode = self._begun()
        return await episode.model.ask(
            Request(
                messages=messages,
                system=episode.system,
                sampling=self._sampling,
                purpose="agent",
                stage=stage,
                episode=episode.name,
            )
        )

    def _begun(self) -> _Episode:
        if self._episode is None:
            raise InputError("the agent has no task yet; call reset first")
        return self._episode


def _conversation(history: Iterable[_Step], step: _Step) -> tuple[Message, ...]:
    messages: list[Message] = []
    for past in history:
        messages += [user(*past.seen.later), *_talk(past), assistant(past.answer.strip() or phrase("no answer"))]
    return (*messages, user(*step.seen.now), *_talk(step))


def _talk(step: _Step) -> list[Message]:
    return [
        message
        for answer, told in step.before
        for message in (assistant(answer.strip() or phrase("no answer")), user(told))
    ]
