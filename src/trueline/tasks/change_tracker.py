"""What an episode changes, from the desktop's log of changes and from what arrives at the sinks."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.desktop.types import ChangeLog, DesktopError
from trueline.records.ledger import Changes, NetworkRequest, SentMail
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.text import printable

_LONGEST = 300
_MOST = 1000
"""Requests, and mails, that one list holds."""


@dataclass
class ChangeTracker:
    """Follows one desktop from the end of its set-up on."""

    log: ChangeLog
    sinks: SinkLog
    _first: tuple[int, int, int] = (0, 0, 0)
    _last: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        """Begin: what the set-up sent does not count."""
        self._first = self._last = self._arrived()

    async def since_last(self) -> Changes:
        """What changed since the last call; what cannot be read is named in `unread`."""
        try:
            found = await self.log.since_last()
        except DesktopError as error:
            found = Changes(unread=(printable(str(error)),))
        before, self._last = self._last, self._arrived()
        return self._with_traffic(found, before, self._last)

    async def since_start(self) -> Changes:
        """What changed since the end of the set-up. Raises DesktopError."""
        return self._with_traffic(await self.log.since_opened(), self._first, self._arrived())

    def _arrived(self) -> tuple[int, int, int]:
        return len(self.sinks.names), len(self.sinks.visits), len(self.sinks.mails)

    def _with_traffic(self, found: Changes, start: tuple[int, int, int], end: tuple[int, int, int]) -> Changes:
        names, visits, mails = (slice(a, b) for a, b in zip(start, end, strict=True))
        looked_up = dict.fromkeys(name.casefold() for name in self.sinks.names[names])
        requests = [NetworkRequest(host=printable(name, _LONGEST)) for name in looked_up]
        requests += [
            NetworkRequest(
                host=printable(visit.host, _LONGEST),
                method=printable(visit.method, 20),
                path=printable(visit.path, _LONGEST),
                size=len(visit.body.encode("utf-8", "replace")),
            )
            for visit in self.sinks.visits[visits]
        ]
        sent = [
            SentMail(
                sender=printable(mail.sender, _LONGEST),
                to=tuple(printable(address, _LONGEST) for address in mail.to),
                size=len(mail.content.encode("utf-8", "replace")),
            )
            for mail in self.sinks.mails[mails]
        ]
        lost = tuple(f"more {kind} arrived than the sink keeps" for kind in sorted(self.sinks.truncated))
        return found.model_copy(
            update={
                "requests": tuple(requests[:_MOST]),
                "mails": tuple(sent[:_MOST]),
                "omitted": found.omitted + max(0, len(requests) - _MOST) + max(0, len(sent) - _MOST),
                "unread": (*found.unread, *lost),
            }
        )
