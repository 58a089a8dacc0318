"""A web server for all host names. It serves given pages or a short answer, and logs every request."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from threading import Thread

from trueline.tasks.attacks.sinks.log import SinkLog, Visit

_LONGEST_BODY = 1 << 20
_HEX = re.compile(rb"[0-9A-Fa-f]{1,8}")
_IDLE_S = 10.0
_LONGEST_S = 30.0
"""The longest duration of a connection in seconds, even an active one."""
MOST_CONNECTIONS = 32
"""Concurrent connections; a further one closes the oldest."""


def _handler(log: SinkLog, pages: Mapping[tuple[str, str], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _IDLE_S
        protocol_version = "HTTP/1.1"

        def _take(self) -> None:
            body = bytearray()
            # A truncated body is still a request.
            with suppress(OSError):
                if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
                    _read_chunks(self.rfile, body)
                else:
                    length = self.headers.get("Content-Length", "0")[:12]
                    _read(self.rfile, body, int(length) if length.isdecimal() else 0)
            host = self.headers.get("Host", "").partition(":")[0].lower().rstrip(".")
            log.add(Visit(host, self.path, self.command, body.decode("utf-8", "replace"), bytes(body)))
            page = pages.get((host, self.path.partition("?")[0]))
            content = page if page is not None else b"<!doctype html><title>Received</title><p>Received.</p>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = _take

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing: requests are hostile text."""

    return Handler


def _read(stream: BufferedIOBase, body: bytearray, length: int) -> None:
    """Read up to `length` bytes into a body."""
    end = min(len(body) + length, _LONGEST_BODY)
    while len(body) < end and (piece := stream.read1(end - len(body))):
        body += piece


def _read_chunks(stream: BufferedIOBase, body: bytearray) -> None:
    """Read a chunked body; an error ends it."""
    while len(body) < _LONGEST_BODY:
        length = stream.readline(100).partition(b";")[0].strip()
        if not _HEX.fullmatch(length) or (size := int(length, 16)) == 0:
            return
        _read(stream, body, size)
        stream.readline(3)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sock: socket.socket, log: SinkLog, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = sock
        self._log = log
        self._since: dict[socket.socket, float] = {}
        """Open connections with their start times, oldest first."""

    def process_request(self, request: socket.socket, client_address: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- of TCP
        """Handle it in a new thread; close the oldest connections if there are too many."""
        for oldest in list(self._since)[: len(self._since) + 1 - MOST_CONNECTIONS]:
            self._break_off(oldest)
        self._since[request] = time.monotonic()
        super().process_request(request, client_address)

    def service_actions(self) -> None:
        """Close connections that last too long."""
        super().service_actions()
        late = time.monotonic() - _LONGEST_S
        for request in [request for request, since in list(self._since.items()) if since < late]:
            self._break_off(request)

    def _break_off(self, request: socket.socket) -> None:
        if self._since.pop(request, None) is not None:
            self._log.mark_truncated("visits")
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: socket.socket) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] -- of TCP
        """Forget a finished connection."""
        self._since.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


@contextmanager
def serve_web(sock: socket.socket, log: SinkLog, pages: Mapping[tuple[str, str], bytes]) -> Generator[None]:
    """Serve on a listening socket while the block runs.

    Args:
        sock: The socket; it is closed at the end.
        log: The log of requests.
        pages: Pages by host name and path; may grow while it runs.
    """
    server = _Server(sock, log, _handler(log, pages))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="trueline-web-sink")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
