"""An SMTP server that accepts every message and delivers none."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from trueline.tasks.attacks.sinks.log import Mail, SinkLog

_LARGEST = 8 << 20


@asynccontextmanager
async def serve_mail(sock: socket.socket, log: SinkLog) -> AsyncGenerator[None]:
    """Accept mail on a listening socket while the block runs."""
    from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

    class Handler:
        async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
            content = envelope.content
            text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content or ""
            log.add(Mail(envelope.mail_from or "", tuple(envelope.rcpt_tos), text))
            return "250 OK"

    def welcome(*_: object) -> AuthResult:
        return AuthResult(success=True)

    def protocol() -> SMTP:
        return SMTP(
            Handler(),
            hostname="mail.example.com",
            data_size_limit=_LARGEST,
            enable_SMTPUTF8=True,
            authenticator=welcome,
            auth_require_tls=False,
            timeout=60,
        )

    server = await asyncio.get_running_loop().create_server(protocol, sock=sock)
    try:
        yield
    finally:
        server.close()
