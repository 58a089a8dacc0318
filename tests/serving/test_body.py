"""Bodies and forms from strangers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from trueline.serving.body import (
    BodyMemory,
    BodyShare,
    BodyTooLarge,
    BodyTooSlow,
    FormError,
    NoMemoryForBody,
    header,
    multipart,
    read_bytes,
)

AMPLE = BodyShare(BodyMemory(1 << 30))
KIND = header("multipart/form-data; boundary=b")


async def pieces(*chunks: bytes) -> AsyncGenerator[bytes]:
    for chunk in chunks:
        yield chunk


async def never() -> AsyncGenerator[bytes]:
    yield b"a"
    await asyncio.Event().wait()


def test_a_body_is_read_up_to_its_limit() -> None:
    assert asyncio.run(read_bytes(pieces(b"ab", b"cd"), 4, 5, AMPLE)) == b"abcd"
    with pytest.raises(BodyTooLarge, match="more than 3 bytes"):
        asyncio.run(read_bytes(pieces(b"ab", b"cd"), 3, 5, AMPLE))
    with pytest.raises(BodyTooSlow, match=r"within 0\.05 s"):
        asyncio.run(read_bytes(never(), 100, 0.05, AMPLE))


def test_large_bodies_share_one_memory_and_small_ones_always_pass() -> None:
    memory = BodyMemory(300_000)
    with memory.share() as first, memory.share() as second:
        assert len(asyncio.run(read_bytes(pieces(b"x" * 200_000), 1 << 20, 5, first))) == 200_000
        with pytest.raises(NoMemoryForBody, match="send the request again"):
            asyncio.run(read_bytes(pieces(*[b"x" * 50_000] * 5), 1 << 20, 5, second))
        with memory.share() as third:
            assert len(asyncio.run(read_bytes(pieces(b"x" * 60_000), 1 << 20, 5, third))) == 60_000
    # What they had is free again, also of the one that was refused.
    with memory.share() as last:
        assert len(asyncio.run(read_bytes(pieces(b"x" * 350_000), 1 << 20, 5, last))) == 350_000


def test_a_form_in_parts() -> None:
    body = (
        b'before\r\n--b\r\ncontent-disposition: form-data; name="a"\r\n\r\none\r\n'
        b'--b\r\nContent-Disposition: form-data; name="b"; filename="x"\r\nx: y\r\n\r\ntwo\r\n\r\n\r\n--b--\r\n'
    )
    assert multipart(KIND, body, 2) == [("a", b"one"), ("b", b"two\r\n\r\n")]
    with pytest.raises(FormError, match="too many parts"):
        multipart(KIND, body, 1)


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=" + "x" * 71])
def test_a_form_without_a_usable_boundary(kind: str) -> None:
    with pytest.raises(FormError, match="boundary"):
        multipart(header(kind), b"--x--", 3)
