"""One session in front of a machine: look, have it judged, look again. What is not let through is not sent."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import NamedTuple

from trueline.actions import Size
from trueline.desktop.types import Desktop
from trueline.errors import TruelineError
from trueline.guard.incoming import read_proposal
from trueline.guard.proxy.journal import Journal
from trueline.guard.proxy.programs import Wanted
from trueline.guard.proxy.settings import ProxySettings
from trueline.guard.session import Outcome, Session, feedback_text
from trueline.guard.verify import View, changes, view
from trueline.records.proposal import Proposal
from trueline.records.verdict import Decision

_MOST_RECHECKS = 3
"""How often an action is judged again because the screen has changed under it."""
_MOST_BLOCKED = 256


class Ruling(NamedTuple):
    """Whether something may run."""

    check: str | None
    """The check under which it may; None: it may not."""
    text: str = ""
    """Why not, for the agent."""


class Episode:
    """A session and the machine it is about. Its requests are judged one after the other."""

    def __init__(self, desktop: Desktop, session: Session, settings: ProxySettings, journal: Journal | None) -> None:
        self.session = session
        self._desktop = desktop
        self._settings = settings
        self._journal = journal
        self._blocked: OrderedDict[tuple[bytes, str, int], str] = OrderedDict()
        """By request, screen and number of steps: asked again, nothing has changed, so neither has the answer."""

    async def judge(self, key: bytes, path: str, wanted: Wanted) -> Ruling:
        """Say whether it may run now; whatever goes wrong on the way means that it may not."""
        seconds = self._settings.check_seconds + self._settings.look_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._judge(key, path, wanted)
        except TimeoutError:
            return Ruling(None, f"Not run: it could not be judged within {seconds:g} s.")
        except TruelineError as error:
            return Ruling(None, f"Not run: it could not be judged: {error}")

    async def ran(self, check: str, *, ran: bool = True) -> None:
        """Report what became of what was let through."""
        await self.session.executed(check, ran=ran)

    async def _judge(self, key: bytes, path: str, wanted: Wanted) -> Ruling:
        for _ in range(1 + _MOST_RECHECKS):
            seen = await view(self._desktop, self._settings.sees)
            place = (key, seen.observation.digest, len(self.session.history))
            if place in self._blocked:
                return Ruling(None, self._blocked[place])
            outcome = await self._check(path, seen, wanted)
            if not outcome.allowed:
                text = _reason(outcome)
                if outcome.verdict.decision is Decision.MISALIGNED:
                    self._remember(place, text)
                return Ruling(None, text)
            if not await changes(self._desktop, seen, outcome.proposal):
                return Ruling(outcome.id)
            await self.session.executed(outcome.id, ran=False)
        return Ruling(None, "Not run: the screen changes faster than it can be judged.")

    async def _check(self, path: str, seen: View, wanted: Wanted) -> Outcome:
        screen = seen.observation.screen
        actions = await asyncio.to_thread(wanted.actions, screen and Size(*screen))
        raw = "\n".join(program.source for program in wanted.programs)
        id = self.session.new_id()
        proposal = read_proposal(Proposal(id=id, actions=actions, raw=raw), id=id)
        outcome = await self.session.check(seen.observation, proposal)
        if self._journal is not None:
            await asyncio.to_thread(self._journal.verdict, self.session, path, seen.observation, outcome)
        return outcome

    def _remember(self, place: tuple[bytes, str, int], text: str) -> None:
        self._blocked[place] = text
        if len(self._blocked) > _MOST_BLOCKED:
            self._blocked.popitem(last=False)


def _reason(outcome: Outcome) -> str:
    reason, feedback = outcome.verdict.reason, outcome.feedback
    wrong = reason if feedback.wrong in reason else f"{reason} {feedback.wrong}".strip()
    told = feedback_text(feedback.model_copy(update={"wrong": wrong}))
    return f"Blocked by the guard ({outcome.verdict.decision}). {told}"
