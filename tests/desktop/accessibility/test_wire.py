"""D-Bus messages as bytes, without a bus: what is written can be read, what is hostile is refused or skipped."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from trueline.desktop.accessibility.answers import text_of
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.connection import FailedCall, MethodCall
from trueline.desktop.accessibility.marshal import Broken, readers, split, writers
from trueline.desktop.accessibility.wire import ERROR, METHOD_RETURN, encode_call, next_message

VALUES = {
    "susssasa{sv}i": ("app", 0, "icon", "<b>", "&\n你好", ["a", ""], {"urgency": ("y", 2)}, -1),
    "a((so)(so)(so)iiassusau)": ([((":1.2", "/a"), (":1.2", "/r"), (":1.1", "/d"), -1, 3, ["x"], "n", 7, "", [1, 2])],),
    "bdxtnqy": (True, 1.5, -(1 << 60), 1 << 63, -2, 65535, 255),
    "a{ss}aiv": ({"k": "v", "": "ü"}, [], ("a(ss)", [("x", "y")])),
}


def packed(signature: str, values: tuple[object, ...]) -> bytes:
    out = bytearray()
    for write, value in zip(writers(signature), values, strict=True):
        write(out, value)
    return bytes(out)


def reply(serial: int, signature: str, values: tuple[object, ...], kind: int = METHOD_RETURN) -> bytes:
    body = packed(signature, values)
    fields = b"\x05\x01u\0" + struct.pack("<I", serial) + b"\x07\x01s\0" + struct.pack("<I", 4) + b":1.9\0"
    fields += bytes(-len(fields) % 8) + b"\x08\x01g\0" + bytes((len(signature),)) + signature.encode() + b"\0"
    head = struct.pack("<cBBBIII", b"l", kind, 1, 1, len(body), 77, len(fields))
    return head + fields + bytes(-len(fields) % 8) + body


@pytest.mark.parametrize("signature", VALUES)
def test_values_come_back_as_they_were(signature: str) -> None:
    data, at, found = packed(signature, VALUES[signature]), 0, []
    for read in readers(signature):
        value, at = read(data, at)
        found.append(value)
    assert (tuple(found), at) == (VALUES[signature], len(data))


def test_messages_are_found_in_a_stream_whatever_its_pieces() -> None:
    stream = reply(1, "s", ("one",)) + reply(2, "s", ("no",), ERROR) + reply(3, "au", ([1, 2, 3],))
    seen: list[tuple[int, int, object]] = []
    waiting = bytearray()
    for byte in stream:
        waiting.append(byte)
        message, end = next_message(waiting, 0)
        if message is not None:
            seen.append((message.kind, message.serial, message.body[0]))
            del waiting[:end]
    assert seen == [(METHOD_RETURN, 1, "one"), (ERROR, 2, "no"), (METHOD_RETURN, 3, [1, 2, 3])] and not waiting


@pytest.mark.parametrize("signature", ["(", "a", "a()", "((s)", "z", "s" * 300])
def test_signatures_that_are_none(signature: str) -> None:
    with pytest.raises((Broken, ValueError)):
        readers(signature)


def test_a_signature_is_split_into_its_types() -> None:
    assert split("a{sv}(iiii)asu") == ["a{sv}", "(iiii)", "as", "u"]


@pytest.mark.parametrize("data", [b"x" * 16, struct.pack("<cBBBIII", b"l", 2, 0, 1, 1 << 31, 1, 0)])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(Broken):
        next_message(bytearray(data), 0)


def test_an_array_longer_than_its_message_is_refused() -> None:
    message = bytearray(reply(1, "au", ([1, 2],)))
    message[-12:-8] = struct.pack("<I", 1 << 20)
    with pytest.raises(Broken):
        next_message(message, 0)


def test_a_call_has_all_its_fields() -> None:
    call = encode_call(5, ":1.2", "/org/x", "org.x.Y", "Do", "ii", (1, -1))
    for part in (b":1.2\0", b"/org/x\0", b"org.x.Y\0", b"Do\0", b"\x02ii\0", struct.pack("<ii", 1, -1)):
        assert part in call
    assert len(call) % 8 == 0 and struct.unpack_from("<I", call, 8) == (5,)


def calls_in(stream: bytearray) -> Iterator[tuple[int, bytes]]:
    """Serial and bytes of every whole call; they are taken out of the stream."""
    while len(stream) >= 16:
        content, serial, fields = struct.unpack_from("<III", stream, 4)
        size = 16 + fields + -fields % 8 + content
        if len(stream) < size:
            return
        assert stream[:1] == b"l", "the stream is out of step"
        yield serial, bytes(stream[:size])
        del stream[:size]


def welcome(serial: int) -> bytes:
    return reply(serial, "s", (":1.5",))


class FakeDaemon(threading.Thread):
    """Greets, and from then on answers what it knows, once it is let."""

    def __init__(self, answers: dict[bytes, Callable[[int], bytes]]) -> None:
        super().__init__(daemon=True)
        self.ours, self._its = socket.socketpair()
        self._answers = {b"Hello\0": welcome, **answers}
        self.reads = threading.Event()
        self.reads.set()
        self.start()

    def run(self) -> None:
        with self._its as sock:
            sock.recv(512)
            sock.sendall(b"OK 1234\r\n")
            stream = bytearray()
            while len(stream) < 7:
                stream += sock.recv(4096)
            del stream[:7]  # BEGIN
            while True:
                for serial, call in calls_in(stream):
                    for word, answer in self._answers.items():
                        if word in call:
                            sock.sendall(answer(serial))
                self.reads.wait()
                data = sock.recv(1 << 16)
                if not data:
                    return
                stream += data


def test_a_bus_that_stops_taking_costs_answers_and_no_connection() -> None:
    daemon = FakeDaemon({b"Last\0": lambda serial: reply(serial, "i", (serial,))})
    with closing(Bus(daemon.ours)) as bus:
        daemon.reads.clear()
        many = [MethodCall(":1.1", "/x", "a.b", "C", "s", ("x" * 1000,))] * 3000
        assert set(bus.call_all(many, time.monotonic() + 0.3)) == {None}
        daemon.reads.set()
        # What was cut off in the middle is sent to its end first: the stream stays whole.
        (answer,) = bus.call_all([MethodCall(":1.1", "/x", "a.b", "Last")], time.monotonic() + 10)
        assert isinstance(answer, tuple) and answer


def test_an_application_that_says_nothing_is_given_up_and_the_others_are_heard() -> None:
    daemon = FakeDaemon({b"Talks\0": lambda serial: reply(serial, "i", (4,))})
    with closing(Bus(daemon.ours, patience_s=0.05)) as bus:
        calls = [MethodCall(":1.1", "/x", "a.b", "Talks"), MethodCall(":1.2", "/x", "a.b", "Hangs")] * 600
        end = time.monotonic() + 600
        assert bus.call_all(calls, end) == [(4,), None] * 600
        assert bus.stalled == {":1.2"}
        assert bus.call_all(calls[:2], end) == [(4,), None]
        bus.begin_reading()
        assert not bus.stalled


def test_a_connection_of_its_own_that_breaks_costs_only_its_answers() -> None:
    ours, its = socket.socketpair()
    daemon = FakeDaemon({
        b"GetApplicationBusAddress\0": lambda serial: reply(serial, "s", ("unix:path=/application",)),
        b"Talks\0": lambda serial: reply(serial, "i", (4,)),
    })  # fmt: skip
    its.sendall(b"OK 1234\r\n")
    its.shutdown(socket.SHUT_WR)
    asked: list[str] = []

    def connect_direct(path: str) -> socket.socket:
        asked.append(path)
        return ours

    with closing(its), closing(Bus(daemon.ours, None, connect_direct)) as bus:
        calls = [MethodCall(":1.1", "/x", "a.b", "Talks")] * 300
        assert bus.call_all(calls, time.monotonic() + 600) == [None] * 300
        assert asked == ["/application"] and not bus.direct
        # It is not tried again: from now on the bus hands everything on.
        assert bus.call_all(calls, time.monotonic() + 600) == [(4,)] * 300


def test_a_refusal_is_told_from_an_answer() -> None:
    daemon = FakeDaemon({
        b"Bad\0": lambda serial: reply(serial, "s", ("no such thing",), ERROR),
        b"Good\0": lambda serial: reply(9999, "s", ("unasked",)) + reply(serial, "i", (4,)),
    })  # fmt: skip
    with closing(Bus(daemon.ours)) as bus:
        calls = [MethodCall(":1.1", "/x", "a.b", name) for name in ("Bad", "Good", "Silent")]
        assert bus.call_all(calls[:2], time.monotonic() + 10) == [FailedCall("no such thing"), (4,)]
        assert bus.call_all(calls[2:], time.monotonic() + 0.05) == [None]


def test_a_refusal_is_no_text() -> None:
    assert text_of(FailedCall("Method GetText does not exist")) == ""
