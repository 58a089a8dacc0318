"""Serves a site on a socket of the desktop's own loopback; a host's thread answers, out of the desktop's reach."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from trueline.tasks.attacks.sinks.log import SinkLog, Visit
from trueline.tasks.sites.web import Response, SiteRequest, parse_request

Answer = Callable[[SiteRequest], Response]
_LONGEST_BODY = 20 << 20
_IDLE_S = 30.0
_MOST_CONNECTIONS = 32
"""Concurrent connections; a further one closes the oldest."""


def _handler(answer: Answer, log: SinkLog, lock: Lock) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _IDLE_S
        protocol_version = "HTTP/1.1"

        def _take(self) -> None:
            length = self.headers.get("Content-Length", "0")[:12]
            wanted = int(length) if length.isascii() and length.isdecimal() else 0
            if wanted > _LONGEST_BODY:
                self._send(Response(b"Too large.", 413, "text/plain"))
                return
            body = self.rfile.read(wanted)
            host = self.headers.get("Host", "").partition(":")[0].lower().rstrip(".")
            if self.command != "GET":
                log.add(Visit(host, self.path, self.command, body.decode("utf-8", "replace")))
            request = parse_request(
                self.command,
                self.path,
                cookie=self.headers.get("Cookie", ""),
                content_type=self.headers.get("Content-Type", ""),
                body=body,
            )
            with lock:
                response = answer(request)
            self._send(response)

        def _send(self, response: Response) -> None:
            self.send_response(response.status)
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(len(response.body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Connection", "close")
            for name, value in response.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.body)
            self.close_connection = True

        do_GET = do_POST = _take

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing: requests are hostile text."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sock: socket.socket, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = sock
        self._since: dict[socket.socket, float] = {}
        """Open connections with their start times, oldest first."""

    def process_request(self, request: socket.socket, client_address: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- of TCP
        """Handle it in a new thread; close the oldest connections if there are too many."""
        for oldest in list(self._since)[: len(self._since) + 1 - _MOST_CONNECTIONS]:
            self._since.pop(oldest, None)
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)
        self._since[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- of TCP
        """Forget a finished connection."""
        self._since.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


@contextmanager
def serve_site(sock: socket.socket, answer: Answer, log: SinkLog, lock: Lock) -> Generator[None]:
    """Serve on a listening socket while the block runs.

    Args:
        sock: The socket; it is closed at the end.
        answer: The site; called by one thread at a time.
        log: Gets every request that sends something.
        lock: Held while the site answers.
    """
    server = _Server(sock, _handler(answer, log, lock))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="trueline-site")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
