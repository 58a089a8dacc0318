"""One session in front of a machine: requests go through the correction loop, and only what it lets through is sent."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from trueline.actions import Size
from trueline.desktop.screen_state import ScreenState, observe_with_windows
from trueline.desktop.types import Desktop
from trueline.errors import TruelineError
from trueline.guard.correction import Correction, correct, target_changes
from trueline.guard.incoming import read_proposal
from trueline.guard.proxy.journal import ProxyJournal
from trueline.guard.proxy.requested_actions import RequestedActions
from trueline.guard.proxy.settings import ProxySettings
from trueline.guard.session import CheckOutcome, Session, UnknownCheckError, feedback_text
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision

_MOST_BLOCKED = 256

_Place = tuple[bytes, str, int]
"""Request, screen and number of steps: while these are the same, so is the answer."""


class Permission(NamedTuple):
    """Whether something may run."""

    check: str | None
    """Id of the check that allowed it; None if it may not run."""
    text: str = ""
    """Why not, for the agent."""


class Episode:
    """A session and the machine it is about. Its requests are judged one after the other."""

    def __init__(
        self, desktop: Desktop, session: Session, settings: ProxySettings, journal: ProxyJournal | None
    ) -> None:
        self.session = session
        self._desktop = desktop
        self._settings = settings
        self._journal = journal
        self._blocked: OrderedDict[_Place, CheckOutcome] = OrderedDict()

    async def judge(self, key: bytes, path: str, wanted: RequestedActions) -> Permission:
        """Decide whether a request may run now; any error means that it may not."""
        seconds = self._settings.check_seconds + self._settings.look_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._judge(key, path, wanted)
        except TimeoutError:
            return Permission(None, f"Not run: it could not be judged within {seconds:g} s.")
        except TruelineError as error:
            return Permission(None, f"Not run: it could not be judged: {error}")

    async def ran(self, check: str, *, ran: bool = True) -> None:
        """Report whether an allowed request ran."""
        await self.session.executed(check, ran=ran)

    async def _judge(self, key: bytes, path: str, wanted: RequestedActions) -> Permission:
        correction = Correction(await self._look())
        blocked = None if self._settings.shadow else self._blocked
        seen = correction.screen.observation
        request = _Request(self.session, self._journal, blocked, key, path, wanted, seen.screen)
        ruling = await correct(
            await request.read(seen),
            correction,
            request,
            self._settings.policy,
            look=self._look,
            changes=partial(target_changes, self._desktop),
            revise=None,
            ask=None,
        )
        if ruling.runs:
            return Permission(ruling.outcome.id)
        if ruling.unsteady:
            return Permission(None, "Not run: the screen changes faster than it can be judged.")
        return Permission(None, _reason(ruling.outcome))

    async def _look(self) -> ScreenState:
        return await observe_with_windows(self._desktop, self._settings.sees)


@dataclass(frozen=True)
class _Request:
    """Checks one request: verdicts are recorded, and a block holds as long as nothing changes."""

    session: Session
    journal: ProxyJournal | None
    blocked: OrderedDict[_Place, CheckOutcome] | None
    """`None`: nothing is blocked, so nothing is remembered."""
    key: bytes
    path: str
    wanted: RequestedActions
    screen: tuple[int, int] | None
    """The size for which the proposal was read first."""

    async def read(self, seen: Observation) -> Proposal:
        """Read what the request wants as a proposal; where it points depends on the size of the screen."""
        actions = await asyncio.to_thread(self.wanted.actions, seen.screen and Size(*seen.screen))
        raw = "\n".join(program.source for program in self.wanted.programs)
        id = self.session.new_id()
        return read_proposal(Proposal(id=id, actions=actions, raw=raw), id=id)

    async def check(self, observation: Observation, proposal: Proposal) -> CheckOutcome:
        """Have it judged, unless it was found misaligned here before."""
        if observation.screen != self.screen:
            proposal = await self.read(observation)
        place = (self.key, observation.digest, len(self.session.history))
        if self.blocked is not None and place in self.blocked:
            return self.blocked[place]
        outcome = await self.session.check(observation, proposal)
        if self.journal is not None:
            await asyncio.to_thread(self.journal.verdict, self.session, self.path, observation, outcome)
        if self.blocked is not None and outcome.verdict.decision is Decision.MISALIGNED:
            self.blocked[place] = outcome
            if len(self.blocked) > _MOST_BLOCKED:
                self.blocked.popitem(last=False)
        return outcome

    async def executed(self, check: str, *, ran: bool = True, part: Proposal | None = None) -> None:
        """Report that it does not run; a block that is remembered was reported before."""
        with contextlib.suppress(UnknownCheckError):
            await self.session.executed(check, ran=ran, part=part)


def _reason(outcome: CheckOutcome) -> str:
    reason, feedback = outcome.verdict.reason, outcome.feedback
    wrong = reason if feedback.wrong in reason else f"{reason} {feedback.wrong}".strip()
    told = feedback_text(feedback.model_copy(update={"wrong": wrong}))
    return f"Blocked by the guard ({outcome.verdict.decision}). {told}"
