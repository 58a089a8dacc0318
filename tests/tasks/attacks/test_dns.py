"""The name server: every name leads to the sinks, and nothing it is sent breaks it."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.tasks.attacks.sinks.dns import answer


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
