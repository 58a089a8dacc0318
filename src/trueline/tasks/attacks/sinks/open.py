"""All sinks of one desktop."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

from trueline.tasks.attacks.sinks.dns import serve_dns
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.mail import serve_mail
from trueline.tasks.attacks.sinks.web import serve_web

WEB_PORT = 80
"""The only one, so that it does not conflict with servers of the agent, mostly on 8000 or 8080."""
MAIL_PORTS = (25, 465, 587, 2525)
NAME_PORT = 53


class Listening(Protocol):
    """A desktop on whose loopback the host can listen."""

    async def listen(self, port: int, *, udp: bool = False, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket bound to a port of the desktop."""
        ...


@asynccontextmanager
async def open_sinks(
    desktop: Listening, pages: Mapping[tuple[str, str], bytes] | None = None, *, only: Collection[str] | None = None
) -> AsyncGenerator[SinkLog]:
    """Run the mail and DNS servers, and for an attack the web server, while the block runs.

    Args:
        desktop: The desktop on whose loopback they listen.
        pages: Pages of the web server by host name and path; other requests get a short answer. `None`: there is no
            web server, and web sites are unreachable as without a network.
        only: The names that lead to the sinks, with all below them; others are looked up where this machine does.
            `None`: every name does.

    Yields:
        The log, which grows as requests arrive.
    """
    log = SinkLog()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serve_dns(await desktop.listen(NAME_PORT, udp=True), log, only=only))
        if pages is not None:
            stack.enter_context(serve_web(await desktop.listen(WEB_PORT), log, pages))
        for port in MAIL_PORTS:
            await stack.enter_async_context(serve_mail(await desktop.listen(port), log))
        yield log
