"""All sinks of one desktop."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

from trueline.tasks.attacks.sinks.dns import serve_dns
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.mail import serve_mail
from trueline.tasks.attacks.sinks.web import serve_web

WEB_PORT = 80
"""The only one: what the agent itself serves, mostly on 8000 or 8080, is not in the way of it."""
MAIL_PORTS = (25, 465, 587, 2525)
NAME_PORT = 53


class Listening(Protocol):
    """A desktop on whose loopback the host can listen."""

    async def listen(self, port: int, *, udp: bool = False, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket bound inside."""
        ...


@asynccontextmanager
async def open_sinks(
    desktop: Listening, pages: Mapping[tuple[str, str], bytes] | None = None
) -> AsyncGenerator[SinkLog]:
    """Serve mail, names and, if it is for an attack, the web inside a desktop while the block runs.

    Args:
        desktop: Where.
        pages: What the web server has to show, by host name and path; it answers whatever else it is asked, too.
            `None`: there is no web server, and every web address is out of reach as it is without a network.

    Yields:
        What arrives; it grows.
    """
    log = SinkLog()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serve_dns(await desktop.listen(NAME_PORT, udp=True), log))
        if pages is not None:
            stack.enter_context(serve_web(await desktop.listen(WEB_PORT), log, pages))
        for port in MAIL_PORTS:
            await stack.enter_async_context(serve_mail(await desktop.listen(port), log))
        yield log
