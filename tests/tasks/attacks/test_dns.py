"""The name server: every name leads to the sinks, and nothing it is sent breaks it."""

from __future__ import annotations

import asyncio
import socket
import struct
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.tasks.attacks.sinks.dns import answer, serve_dns
from trueline.tasks.attacks.sinks.log import SinkLog
from trueline.tasks.attacks.sinks.resolver import forward, name_server


def question(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", kind, 1)


def test_a_name_is_answered_with_the_loopback() -> None:
    found = answer(question("a.collect.example"))
    assert found is not None
    reply, name = found
    assert name == "a.collect.example"
    assert struct.unpack_from("!6H", reply) == (7, 0x8580, 1, 1, 0, 0)
    assert reply.endswith(b"\x7f\x00\x00\x01")


def test_an_address_of_the_other_kind_has_an_empty_answer() -> None:
    found = answer(question("x.example", kind=28))
    assert found is not None
    assert struct.unpack_from("!6H", found[0])[3] == 0


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes_are_survived(data: bytes) -> None:
    answer(data)


def bound() -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))
    return sock


def test_with_an_open_network_only_the_attackers_names_lead_to_the_sinks() -> None:
    asked: list[str] = []

    class Elsewhere(asyncio.DatagramProtocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
            found = answer(data)
            assert found is not None
            asked.append(found[1])
            self.transport.sendto(found[0][:-4] + b"\xc0\x00\x02\x07", addr)  # pyright: ignore[reportAttributeAccessIssue]

    async def addresses(names: list[str]) -> tuple[list[bytes], SinkLog]:
        loop, log = asyncio.get_running_loop(), SinkLog()
        transport, _ = await loop.create_datagram_endpoint(Elsewhere, local_addr=("127.0.0.1", 0))
        ask = partial(forward, server=transport.get_extra_info("sockname"))
        ours = bound()
        place = ours.getsockname()
        try:
            async with serve_dns(ours, log, only={"Evil.example", "test"}, ask=ask):
                replies = [await forward(question(name), server=place) for name in names]
        finally:
            transport.close()
        return [reply[-4:] for reply in replies if reply is not None], log

    names = ["evil.example", "A.EVIL.example", "notevil.example", "deep.down.test", "python.org"]
    found, log = asyncio.run(addresses(names))
    here, there = b"\x7f\x00\x00\x01", b"\xc0\x00\x02\x07"
    assert found == [here, here, there, here, there]
    assert asked == ["notevil.example", "python.org"]
    assert log.names == ["evil.example", "A.EVIL.example", "deep.down.test"]


def test_the_name_server_of_a_machine(tmp_path: Path) -> None:
    file = tmp_path / "resolv.conf"
    file.write_text("# none\nsearch x\nnameserver nonsense\nnameserver 192.0.2.53\nnameserver 192.0.2.54\n")
    assert name_server(file) == "192.0.2.53"
    assert name_server(tmp_path / "none") is None
