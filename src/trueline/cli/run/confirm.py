"""Asks a person at the terminal whether a proposal may run."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from trueline.errors import RequestError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.guard.correction import Ask
    from trueline.guard.session import CheckOutcome
    from trueline.runs.request import RunRequest

SHOWN_LINES = 50
SHOWN_CHARACTERS = 4_000
"""A longer proposal is shown in full only on request, and must be before it can be allowed."""
_LONGEST_ANSWER = 4_096


def confirmation_for(request: RunRequest) -> Callable[[str], Ask] | None:
    """Return a function from an episode's name to the one that asks a person; `None` if the request asks nobody.

    Raises:
        RequestError: A person is to be asked, and there is no terminal.
    """
    field = request.asking_field
    if field is None:
        return None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RequestError(f"`{field}` ask: requires that stdin and stderr are a terminal")
    return Terminal(sys.stdin.fileno(), sys.stderr).about


class Terminal:
    """One person who is asked one thing at a time, whatever the number of episodes.

    An answer counts for the question that is open when it is typed. A question whose episode has ended meanwhile is
    withdrawn, and takes no answer from the next one.
    """

    def __init__(self, keyboard: int, screen: TextIO) -> None:
        self._keyboard = keyboard
        self._screen = screen
        self._free = asyncio.Lock()

    def about(self, episode: str) -> Ask:
        """Return the function that asks about the proposals of this episode."""

        async def ask(outcome: CheckOutcome) -> bool:
            async with self._free:
                try:
                    return await self._ask(episode, outcome)
                except asyncio.CancelledError:
                    self._say(f"\n(withdrawn: the question about {printable(episode)})\n")
                    raise

        return ask

    async def _ask(self, episode: str, outcome: CheckOutcome) -> bool:
        import termios

        # What was typed before the question was shown answers something else.
        termios.tcflush(self._keyboard, termios.TCIFLUSH)
        whole = question(episode, outcome)
        shown = shortened(whole)
        hidden = len(whole) - len(shown)
        self._say(f"\n{shown}\n")
        while True:
            more = f"{hidden} more characters are hidden: type all to see them. " if hidden else ""
            self._say(f"{more}Let it run? Type yes: ")
            answer = (await self._line()).strip().lower()
            if answer == "all":
                hidden = 0
                self._say(f"\n{whole}\n")
            elif answer == "yes" and hidden:
                self._say("Not before you have seen it all.\n")
            else:
                return answer == "yes"

    def _say(self, text: str) -> None:
        print(text, end="", file=self._screen, flush=True)

    async def _line(self) -> str:
        """Wait for a line without a thread, so that it can be cancelled; the end of the input is an empty line."""
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[str] = loop.create_future()
        got = bytearray()

        def read() -> None:
            try:
                piece = os.read(self._keyboard, _LONGEST_ANSWER)
            except OSError:
                piece = b""
            got.extend(piece)
            over = not piece or b"\n" in piece or len(got) >= _LONGEST_ANSWER
            if over and not typed.done():
                typed.set_result(got.decode(errors="replace").partition("\n")[0])

        loop.add_reader(self._keyboard, read)
        try:
            return await typed
        finally:
            loop.remove_reader(self._keyboard)


def question(episode: str, outcome: CheckOutcome) -> str:
    """The question to the person; every line of the proposal is marked, so that it cannot imitate our text."""
    from trueline.guard.proposal_text import action_text

    actions = action_text(outcome.proposal.actions).split("\n")
    lines = [
        f"Episode {_whole(episode)}, step {outcome.step}:",
        f"the guard says {outcome.verdict.decision.value}: {_whole(outcome.verdict.reason)}",
        "What would run:",
        *(f"  | {_whole(line)}" for line in actions),
    ]
    return "\n".join(lines)


def shortened(text: str) -> str:
    """Shorten a text to what fits on a screen."""
    return "\n".join(text.split("\n")[:SHOWN_LINES])[:SHOWN_CHARACTERS]


def _whole(text: str) -> str:
    return printable(text, limit=len(text))
