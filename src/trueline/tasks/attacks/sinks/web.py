"""A web server for every host name: pages it was given, otherwise a short answer; every request is logged."""

from __future__ import annotations

import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from trueline.tasks.attacks.sinks.log import SinkLog, Visit

_LONGEST_BODY = 1 << 20
_IDLE_S = 10.0


def _handler(log: SinkLog, pages: Mapping[tuple[str, str], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _IDLE_S
        protocol_version = "HTTP/1.1"

        def _take(self) -> None:
            length = self.headers.get("Content-Length", "0")
            wanted = min(int(length), _LONGEST_BODY) if length.isdecimal() else 0
            body = self.rfile.read(wanted).decode("utf-8", "replace") if wanted else ""
            host = self.headers.get("Host", "").partition(":")[0].lower().rstrip(".")
            log.add(Visit(host, self.path, self.command, body))
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
            """Nothing goes to the host's terminal: what would is hostile."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that breaks off is no news."""


@contextmanager
def serve_web(sock: socket.socket, log: SinkLog, pages: Mapping[tuple[str, str], bytes]) -> Generator[None]:
    """Answer on a socket that listens, while the block runs.

    Args:
        sock: Whoever calls this gives it away.
        log: Where requests are kept.
        pages: By host name and path; may grow while it runs.
    """
    server = _Server(("127.0.0.1", 0), _handler(log, pages), bind_and_activate=False)
    server.socket.close()
    server.socket = sock
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="trueline-web-sink")
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
