"""Limits for connections: how many at a time, and how long each may be silent or slow."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def bounded_protocol(most: int, peer_seconds: float) -> type[H11Protocol]:
    """Make the server's side of a connection.

    Uvicorn ends only connections that rest after an answer. This one also ends those on which a request does not begin,
    arrives too slowly, or whose answer is not read. The time for a body is bounded where it is read.

    Args:
        most: Connections at the same time; further ones are answered with 503.
        peer_seconds: How long it may wait for the other side.
    """

    class Bounded(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.write(_BUSY)
                transport.close()
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop_watch()

        def _watch(self) -> None:
            """While it is the other side's turn the clock runs, however many bytes trickle in."""
            answering = self.cycle and not self.cycle.response_complete
            if answering and not self.flow.write_paused:
                self._stop_watch()
            elif self._late is None:
                self._late = self.loop.call_later(peer_seconds, self.transport.abort)

        def _stop_watch(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Bounded
