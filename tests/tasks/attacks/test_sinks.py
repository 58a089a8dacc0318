"""The sinks by themselves: nothing that comes in masses hides what came."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

import pytest

from trueline.tasks.attacks.sinks.log import MOST_BYTES, MOST_ENTRIES, Mail, SinkLog, Visit
from trueline.tasks.attacks.sinks.web import MOST_CONNECTIONS, serve_web


def test_questions_for_names_push_nothing_out() -> None:
    log = SinkLog()
    for number in range(MOST_ENTRIES + 1):
        log.add(f"n{number}.example")
    log.add(Visit("a.example", "/"))
    log.add(Mail("a", ("b",), "c"))
    assert (len(log.names), len(log.visits), len(log.mails), log.truncated) == (MOST_ENTRIES, 1, 1, {"names"})


def test_what_is_too_large_is_missing() -> None:
    log = SinkLog()
    log.add(Visit("a.example", "/", "POST", "x" * (MOST_BYTES + 1)))
    assert (log.visits, log.truncated) == ([], {"visits"})


@contextmanager
def served(log: SinkLog) -> Generator[tuple[str, int]]:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(128)
    address: tuple[str, int] = sock.getsockname()
    with serve_web(sock, log, {}):
        yield address


def said(address: tuple[str, int], request: bytes, *, close: bool = False) -> bytes:
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(request)
        if close:
            client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(4096), b""))


HEAD = b"POST /form HTTP/1.1\r\nHost: Collect.example:80\r\n"


@pytest.mark.parametrize(
    ("more", "body"),
    [
        (b"Content-Length: 6\r\n\r\nsecret", "secret"),
        (b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nsec\r\n3\r\nret\r\n0\r\n\r\n", "secret"),
        (b"Transfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\nnonsense\r\n", "secret"),
        (b"Content-Length: 600\r\n\r\nsecret", "secret"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nsecret", "secret"),
        (b"Content-Length: no\r\n\r\nsecret", ""),
    ],
)
def test_a_body_is_read_however_it_is_sent(more: bytes, body: str) -> None:
    log = SinkLog()
    with served(log) as address:
        assert b"Received." in said(address, HEAD + more, close=True)
    assert log.visits == [Visit("collect.example", "/form", "POST", body, body.encode())]


def test_many_connections_do_not_keep_a_new_one_out() -> None:
    log = SinkLog()
    with served(log) as address, ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(address, timeout=20)) for _ in range(MOST_CONNECTIONS)]
        assert b"Received." in said(address, HEAD + b"\r\n")
        # The oldest had to go, and whatever it was about to say is missing.
        assert idle[0].recv(1) == b""
    assert (len(log.visits), log.truncated) == (1, {"visits"})
