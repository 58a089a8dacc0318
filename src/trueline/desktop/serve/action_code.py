"""Action code: `python -c` code that moves keyboard and mouse goes to the action worker."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from trueline.actions import Action, Code, KeyDown, KeyUp, MouseDown, MouseUp, Size, Wait
from trueline.actions.codecs.pyautogui import decode
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.records import ObservationSpec

_PYTHONS = frozenset({"python", "python3"})
_TRACEBACKS = ("Traceback (most recent call last):", '  File "<action>"')
"""How a traceback begins; the second is that of a syntax error."""


@dataclass(frozen=True)
class CommandReply:
    """The result of a command, as OSWorld's clients read it."""

    returncode: int
    output: str
    error: str
    truncated: bool = False


def action_code(argv: Sequence[str]) -> str | None:
    """The code of a command that is an action: `python -c …` that mentions pyautogui; `None` for any other."""
    if len(argv) != 3 or PurePosixPath(argv[0]).name not in _PYTHONS or argv[1] != "-c" or "pyautogui" not in argv[2]:
        return None
    return argv[2]


async def run_code(served: ServedDesktop, source: str) -> CommandReply:
    """Run action code: a straight line of known calls directly, anything else by the worker inside."""
    desktop, id = served.desktop, uuid.uuid4().hex
    screen = (await desktop.observe(ObservationSpec(screenshot=False))).screen
    decoded = await asyncio.to_thread(decode, source, screen=None if screen is None else Size(*screen))
    async with served.acting:
        down: list[Action] = []
        for number, action in enumerate(decoded.actions):
            if isinstance(action, Wait):
                # Here, where the time limit ends it: a desktop goes on with what it was once asked to do.
                await asyncio.sleep((action.seconds or 0.0) + action.pause_after)
                continue
            result = await desktop.act(action, id=f"{id}-{number}")
            if isinstance(action, Code):
                return _of_code(result.returncode or 0, result.output or "", result.truncated)
            if isinstance(action, KeyDown):
                down.append(KeyUp(key=action.key))
            elif isinstance(action, MouseDown):
                down.append(MouseUp(button=action.button))
            if result.error is not None:
                for place, up in enumerate(down):  # what the code pressed before it failed
                    await desktop.act(up, id=f"{id}-up-{place}")
                return CommandReply(1, "", f"{result.error}\n")
    return CommandReply(0, "", "")


def _of_code(returncode: int, said: str, truncated: bool) -> CommandReply:
    """The worker tells what was printed and the traceback in one text, in the order in which they came."""
    places = [said.rfind(mark) for mark in _TRACEBACKS] if returncode else []
    begin = next((place for place in places if place >= 0), len(said))
    return CommandReply(returncode, said[:begin], said[begin:], truncated)
