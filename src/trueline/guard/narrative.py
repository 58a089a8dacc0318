"""Narratives: what a step did and changed, described by a model from the screens before and after it.

A narrative is made from the screen, so whoever reads it must not trust it. The same step gives the same question in
every process, so a cached model is asked once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from trueline.errors import InputError
from trueline.guard.model_answers import NarrativeReply
from trueline.guard.proposal_text import action_text, shorten
from trueline.guard.question import Foreign, assemble, phrase, screenshot_of
from trueline.guard.stages import Deadline, error_text
from trueline.guard.types import PastStep
from trueline.models import Image, ImagePolicy, Message, Model, Request, Schema, image_from_bytes
from trueline.models.prompt_fence import STORED_KEY, keyed_fence
from trueline.models.prompt_files import join_prompts
from trueline.records.observation import Observation
from trueline.records.setting import Sampling
from trueline.records.step import Narrative
from trueline.records.usage import NO_USAGE, UNCOUNTED
from trueline.text import printable

NARRATIVE = ("narrative.v1",)
LONGEST = 600
"""Characters of a narrative, which should be one or two sentences."""
_LONGEST_ACTION = 8_000


@dataclass(frozen=True)
class Narrator:
    """Describes what steps did. With a `CachedModel` each step is described once."""

    model: Model
    sampling: Sampling = field(default_factory=Sampling)
    images: ImagePolicy = field(default_factory=ImagePolicy)
    deadline: float | None = None
    """Seconds for one narrative."""

    async def narrate(self, step: PastStep, after: Observation, *, episode: str = "") -> Narrative:
        """Describe a step from the screens before and after it; a failure is returned as `error`."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        text, error, usage = None, None, NO_USAGE
        try:
            async with Deadline.after(self.deadline).enforce():
                message = await asyncio.to_thread(_question, step, after)
                usage = UNCOUNTED
                answer = await self.model.ask(self._request(message, episode))
                usage = answer.usage
            text = _read(answer.parse(NarrativeReply))
        except Exception as e:
            error = error_text(e)
        latency = loop.time() - began
        return Narrative(text=text, model=str(self.model.id), latency=latency, usage=usage, error=error)

    def _request(self, message: Message, episode: str) -> Request:
        return Request(
            messages=(message,),
            system=join_prompts("trueline.guard", NARRATIVE),
            sampling=self.sampling,
            expects=Schema.from_model(NarrativeReply, name="narrative"),
            images=self.images,
            purpose="narrative",
            episode=episode,
            deadline_s=self.deadline,
        )


def _question(step: PastStep, after: Observation) -> Message:
    action = Foreign("action", shorten(action_text(step.proposal.actions), _LONGEST_ACTION))
    screens = _picture(step.observation, "before"), _picture(after, "after")
    fence = keyed_fence(STORED_KEY, [action.text], [screen.digest for screen in screens])
    return assemble(fence, (phrase("before"), screens[0], phrase("executed"), action, phrase("after"), screens[1]))


def _picture(observation: Observation | None, when: str) -> Image:
    png = None if observation is None else screenshot_of(observation)
    if png is None:
        raise InputError(f"there is no screenshot from {when} the step; record screenshots")
    return image_from_bytes(png, f"the screenshot from {when} the step")


def _read(reply: NarrativeReply) -> str:
    text = " ".join(reply.narrative.split())
    if not text:
        raise InputError("the model gave an empty narrative")
    return printable(text, limit=LONGEST)


class BackgroundNarrator:
    """Makes the narratives of one episode in the background, while the agent thinks about its next step.

    async with BackgroundNarrator(narrator) as background:
        background.start(step, after)
        ...
        told = await background.collect()
    """

    def __init__(self, narrator: Narrator, *, episode: str = "", in_flight: int = 4) -> None:
        """Prepare.

        Args:
            narrator: Who tells.
            episode: Who pays.
            in_flight: The most calls at the same time; further steps wait for their turn.
        """
        self._narrator = narrator
        self._episode = episode
        self._turns = asyncio.Semaphore(in_flight)
        self._tasks: dict[int, asyncio.Task[Narrative]] = {}

    def start(self, step: PastStep, after: Observation) -> None:
        """Start the narrative of a step, unless it was started before."""
        if step.number not in self._tasks:
            self._tasks[step.number] = asyncio.create_task(self._tell(step, after))

    async def collect(self, wait: float | None = None) -> dict[int, Narrative]:
        """Return the narratives by step, failed ones too, without those that take longer than `wait` seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=wait)
        return {number: task.result() for number, task in self._tasks.items() if task.done()}

    async def __aenter__(self) -> Self:
        """Do nothing yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel unfinished narratives."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _tell(self, step: PastStep, after: Observation) -> Narrative:
        async with self._turns:
            return await self._narrator.narrate(step, after, episode=self._episode)
