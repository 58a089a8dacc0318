"""Watches the processes that a desktop cannot do without, and finds out who caused the death of one.

Each part and each program that an action started is held by a descriptor of its process (pidfd), so its end is known
at once, whatever it is called. A part that dies between the dispatch of an action and its settling, or while a program
lives that an action started, died by the agent's doing; any other death is ours.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from trueline.desktop.local.process_usage import descendants, named
from trueline.desktop.types import PartDied

PARTS = {
    "openbox": "window manager",
    "xfce4-panel": "panel",
    "xfdesktop": "background",
    "dbus-daemon": "message bus",
    "at-spi-bus-laun": "accessibility bus",
}
"""Names of the processes, as the kernel cuts them."""
_WINDOW_MANAGER = "openbox"
_TOLERANCE = 1.0
"""Seconds by which a program may seem to have ended before the part that it ended."""
_WHOLE_SESSION_S = 0.2
_OURS = ("time", "stopped")
"""Ends of the desktop that no agent can cause."""
_MOST = 400
"""Most programs to watch at the same time."""
_WORKER, _AGENT = "worker", "agent"


@dataclass
class _WatchedProcess:
    """A process that is watched by a descriptor."""

    fd: int
    gone: Callable[[], None]

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.fd)
        os.close(self.fd)


class PartsWatch:
    """Watches the parts of one desktop. All calls come from one event loop."""

    def __init__(self, supervisor_pid: int, lost: Callable[[str], None], was_killed: Callable[[int], bool]) -> None:
        """Begin with the first action to follow the parts that run.

        Args:
            supervisor_pid: The process all others of the sandbox descend from.
            lost: Called when a part dies by no doing of the agent, with what happened.
            was_killed: Whether our own watchdog has killed a process.
        """
        self.died: PartDied | None = None
        """The first death that counts."""
        self._supervisor_pid = supervisor_pid
        self._lost = lost
        self._was_killed = was_killed
        self._acting = False
        self._known: frozenset[int] | None = None
        """The processes that ran before the first action; `None` before it."""
        self._followed: dict[int, _WatchedProcess] = {}
        self._last_end = float("-inf")
        """When a program that an action started was last seen to end."""
        self._parts = 0
        self._closed = False

    async def dispatch(self) -> None:
        """Note that an action is about to be dispatched."""
        if self._known is None:
            # Not before: a set-up may end parts and start them anew.
            parts = await asyncio.to_thread(lambda: {name: named(self._supervisor_pid, name) for name in PARTS})
            self._known = frozenset(await asyncio.to_thread(_running, self._supervisor_pid))
            for name, pid in parts.items():
                if pid is not None:
                    self._follow(pid, lambda part=PARTS[name], pid=pid: self._died(part, pid))
            self._parts = len(self._followed)
            if parts[_WINDOW_MANAGER] is None:
                self._died(PARTS[_WINDOW_MANAGER], 0)
        self._catch_up()
        self._acting = True

    async def settled(self) -> None:
        """Note that an action has taken effect; programs it left running are watched from now on."""
        await self._look()
        self._catch_up()
        self._acting = False

    def _catch_up(self) -> None:
        """Process deaths that already happened, to attribute them before or after an action."""
        ends = select.poll()
        numbers = {followed.fd: followed for followed in self._followed.values()}
        for fd in numbers:
            ends.register(fd, select.POLLIN)
        for fd, _ in ends.poll(0):
            numbers[fd].gone()

    def session_ended(self, part: str) -> None:
        """The whole sandbox ended, all its programs with it."""
        by_agent = self.died.by_agent if self.died is not None else part not in _OURS and self._by_agent()
        self.died = PartDied(part, by_agent)

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        for followed in self._followed.values():
            followed.close()
        self._followed.clear()

    def _by_agent(self) -> bool:
        if self._known is None:
            return False
        recently = asyncio.get_running_loop().time() - self._last_end <= _TOLERANCE
        return self._acting or recently or len(self._followed) > self._parts

    def _died(self, part: str, pid: int) -> None:
        self._parts -= 1
        if self.died is not None:
            return
        self.died = PartDied(part, by_agent=self._by_agent() and not self._was_killed(pid))
        if not self.died.by_agent:
            # The whole session may be about to end: that is then what died.
            asyncio.get_running_loop().call_later(_WHOLE_SESSION_S, self._tell_lost)

    def _tell_lost(self) -> None:
        if self.died is not None and not self._closed:
            self._lost(str(self.died))

    async def _look(self) -> None:
        """Follow what runs now and did not before the first action."""
        if self._known is None or self._closed:
            return
        for pid in await asyncio.to_thread(_running, self._supervisor_pid):
            if (
                pid not in self._known
                and pid not in self._followed
                and len(self._followed) < _MOST
                and not self._closed
            ):
                self._follow(pid, self._program_ended)

    def _program_ended(self) -> None:
        self._last_end = asyncio.get_running_loop().time()
        # It may have left others behind.
        self._looking = asyncio.ensure_future(self._look())

    def _follow(self, pid: int, ended: Callable[[], None]) -> None:
        try:
            fd = os.pidfd_open(pid)
        except OSError:
            return  # it has ended, or there is no descriptor left for it

        def gone() -> None:
            followed = self._followed.pop(pid, None)
            if followed is not None:
                followed.close()
                ended()

        self._followed[pid] = _WatchedProcess(fd, gone)
        asyncio.get_running_loop().add_reader(fd, gone)


def _running(supervisor_pid: int) -> list[int]:
    """The programs of a sandbox, without the worker that runs code for us."""
    return [pid for pid in descendants(supervisor_pid) if not _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    """Whether it is the worker that runs code for us, a child of the agent inside, or its fork that waits for code."""
    with suppress(OSError, ValueError):
        name, parent = _name_and_parent(pid)
        above, grandparent = _name_and_parent(parent)
        if name == _WORKER:
            return above == _AGENT or (above == _WORKER and _name_and_parent(grandparent)[0] == _AGENT)
    return False


def _name_and_parent(pid: int) -> tuple[str, int]:
    """What a process calls itself, and whose child it is. Raises OSError and ValueError."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        before, _, after = file.read().rpartition(")")
    return before.partition("(")[2], int(after.split()[1])
