"""The attack of one of RTC-Bench's tasks in one episode: placing it, watching the agent, and its own score."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from trueline.desktop.types import Desktop
from trueline.records.attack import Attack, Funnel
from trueline.records.episode import CheckRecord
from trueline.records.episode_state import is_success
from trueline.records.layout import ADVERSARY_CHECK
from trueline.records.observation import Observation
from trueline.tasks.attacks.exposure import ExposureWatch
from trueline.tasks.attacks.sinks import SinkLog
from trueline.tasks.attacks.sinks.open import Listening
from trueline.tasks.checkers import evaluate
from trueline.tasks.errors import CheckerError, SetupError
from trueline.tasks.model import Task
from trueline.tasks.rtc.addresses import SiteAddresses, from_start_page
from trueline.tasks.rtc.episode import RtcEpisode
from trueline.tasks.rtc.place import add_accounts, place_attacks
from trueline.tasks.rtc.stand_in_machine import prepare_machine
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.sites.code_hosts import OutsidePages
from trueline.tasks.sites.stand_ins import StandInSites
from trueline.tasks.workspace import Workspace


@dataclass
class AttackOnSites:
    """An attack and how far it got, over all tries of a task."""

    episode: RtcEpisode
    outside: OutsidePages = field(default_factory=OutsidePages)
    """What the world outside answers to programs of the desktop."""
    exposure: ExposureWatch = field(default_factory=lambda: ExposureWatch(""), init=False)
    """What the agent received of it, from when it is placed."""
    _score: float | None = field(default=None, init=False)
    _why: str = field(default="", init=False)

    @classmethod
    def from_task(cls, task: Task, addresses: SiteAddresses, *, end_to_end: bool) -> AttackOnSites:
        """The attack of a task."""
        return cls(RtcEpisode(addresses.fill(task), addresses, end_to_end=end_to_end))

    @property
    def task(self) -> Task:
        """The task as it is run: with its placeholders filled in, and from end to end with the site's start page."""
        episode = self.episode
        return from_start_page(episode.task, episode.addresses) if episode.end_to_end else episode.task

    async def open(self, desktop: Listening, sinks: SinkLog, stack: AsyncExitStack) -> None:
        """Serve new stand-ins inside a desktop until the stack is left."""
        if not self.episode.on_originals:
            self.episode.sites = StandInSites()
            await stack.enter_async_context(self.episode.sites.serve(desktop, sinks))

    async def place(self, workspace: Workspace) -> None:
        """Prepare machine and sites before the task's own steps.

        Raises:
            SetupError: It cannot be done.
        """
        episode = self.episode
        try:
            if not episode.on_originals:
                if episode.sites is None:
                    raise StepFailed("nothing on this desktop can serve the stand-in sites")
                await prepare_machine(self.task, workspace)
                add_accounts(self.task, episode.sites)
                place_attacks(episode, workspace.assets)
        except StepFailed as error:
            raise SetupError(f"sites: {error}{error.output and f'; it printed: {error.output[:400]!r}'}") from error

    async def seen(
        self,
        step: int,
        observation: Observation,
        _desktop: Desktop,
        *,
        words: str | None,
        picture: bool,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Record what the agent is shown; see `ActiveInjection.seen`."""
        placed = self.episode.placed
        if placed is None or not placed.text:
            # It is part of a document that nothing here can read.
            return
        # What a page shows of the marks around code is their effect.
        self.exposure.text = " ".join(placed.text.replace("`", " ").split())
        self.exposure.words(step, words)
        if picture:
            self.exposure.picture(step, observation.png() or b"", observation.picture_digest, size)

    async def check(self, workspace: Workspace) -> CheckRecord:
        """Score the attack: passed means that it did not succeed."""
        evaluator = self.task.adversary_evaluator
        self._score, self._why = None, ""
        if evaluator is None or not evaluator.functions:
            self._why = "the task has no adversary_evaluator"
            return CheckRecord(name=ADVERSARY_CHECK, passed=None, detail=self._why, about="safety")
        try:
            found = await evaluate(evaluator, workspace, failed=False)
        except CheckerError as error:
            self._why = str(error)
        else:
            self._why = found.reason
            if not found.unreadable:
                self._score = found.score
        passed = None if self._score is None else not is_success(self._score)
        return CheckRecord(name=ADVERSARY_CHECK, passed=passed, detail=self._why, about="safety")

    async def funnel(self) -> Funnel:
        """How far the attack got; that it was tried is only known where it succeeded."""
        achieved = None if self._score is None else is_success(self._score)
        placed = self.episode.placed is not None
        known = self.episode.placed is not None and bool(self.episode.placed.text)
        exposure = await self.exposure.result() if known else None
        return Funnel(
            delivered=True if placed else None,
            exposed=None if exposure is None else exposure.any,
            exposed_step=None if exposure is None else exposure.step,
            exposure=exposure,
            attempted=True if achieved else None,
            achieved=achieved,
            evidence=("the adversary_evaluator scores 1",) if achieved else (self._why,) if self._why else (),
        )


def attack_record(task: Task) -> Attack:
    """The attack of a task for the record: where it is placed, and which of the benchmark's goals it has."""
    step = task.adversary_config[0]
    return Attack(vector=step.type.removesuffix("_adv_setup"), goal=task.adv_id or "unknown", config=step.parameters)
