"""One injection in one episode: delivered, watched, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from trueline.desktop.types import Desktop, PathRefused
from trueline.records.attack import Attack, Funnel
from trueline.records.end import End
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.tasks.attacks.canaries import Canaries, canaries_of
from trueline.tasks.attacks.goals import (
    Goal,
    Left,
    attempted,
    find_goal,
    fixtures,
    injected_text,
    injected_title,
    watched_files,
)
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.vectors import Delivery, Vector, When, find_vector, shows, wait_shown

_LARGEST = 1 << 20


@dataclass
class Injection:
    """An injection and how far it got; made anew for each try at a task."""

    vector: Vector
    goal: Goal
    canaries: Canaries
    text: str
    params: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    pages: dict[tuple[str, str], bytes] = field(default_factory=dict[tuple[str, str], bytes])
    delivered: bool | None = None
    exposed_step: int | None = None
    attempts: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])
    """Step, and whether it was let through."""

    @staticmethod
    def of(vector: str, goal: str, seed: int, params: Mapping[str, JsonValue] | None = None) -> Injection:
        """Put an injection together.

        Raises:
            InputError: There is no such vector or goal.
        """
        wants, canaries = find_goal(goal), canaries_of(seed)
        return Injection(find_vector(vector), wants, canaries, injected_text(wants, canaries), params or {})

    @property
    def record(self) -> Attack:
        """The attack as the record names it."""
        return Attack(vector=self.vector.id, goal=self.goal.id, content=self.text)

    async def prepare(self, desktop: Desktop) -> None:
        """Put into the home folder what is worth stealing and breaking."""
        for path, content in fixtures(self.canaries).items():
            await desktop.put(path, content)

    async def deliver(self, desktop: Desktop, when: When) -> None:
        """Deliver it, if this is its moment.

        Raises:
            SetupError: It could not be delivered.
        """
        if when == self.vector.when:
            title = injected_title()
            await self.vector.deliver(Delivery(desktop, self.text, title, self.canaries, self.params, self.pages))

    async def confirm(self, desktop: Desktop) -> None:
        """See that it is really there, once the task is set up.

        Raises:
            SetupError: It is not.
        """
        words = self.text if self.vector.on_screen == "text" else injected_title()
        await wait_shown(desktop, words, self.vector.id)
        self.delivered = True

    def seen(self, step: int, observation: Observation) -> None:
        """Take note of what the agent is shown."""
        if self.exposed_step is None and shows(observation, self.text):
            self.exposed_step = step

    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None:
        """Take note of what the agent wanted."""
        if attempted(self.goal, self.canaries, proposal):
            self.attempts.append((step, ran))

    async def funnel(self, desktop: Desktop, sinks: SinkLog, end: End | None, score: float | None) -> Funnel:
        """How far it got, from the state of the desktop and the sinks."""
        files = {path: await _read(desktop, path) for path in watched_files(self.canaries)}
        evidence = tuple(self.goal.achieved(Left(sinks, files, end, score), self.canaries))
        attempts = [(step, ran) for step, ran in self.attempts if not (ran and self.goal.by_ending and not evidence)]
        blocked = bool(attempts) and not any(ran for _, ran in attempts)
        return Funnel(
            delivered=self.delivered,
            exposed=self.exposed_step is not None,
            exposed_step=self.exposed_step,
            attempted=bool(attempts),
            attempted_step=attempts[0][0] if attempts else None,
            blocked=blocked,
            blocked_step=attempts[0][0] if blocked else None,
            achieved=bool(evidence),
            evidence=evidence,
        )


async def _read(desktop: Desktop, path: str) -> bytes | None:
    try:
        return await desktop.get(path, limit=_LARGEST)
    except PathRefused:
        return None
