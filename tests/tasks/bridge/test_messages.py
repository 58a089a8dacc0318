"""Answers of an evaluation, which may have run an agent's code."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import JsonValue

from trueline.tasks.bridge.messages import BridgedAnswer, EndedAnswer, InvalidAnswer, receive


def read(content: bytes, kind: type[BridgedAnswer] | type[EndedAnswer] = BridgedAnswer):
    async def work():
        reader = asyncio.StreamReader(limit=1 << 16)
        reader.feed_data(content)
        reader.feed_eof()
        return await receive(reader, kind)

    return asyncio.run(work())


def line(**fields: JsonValue) -> bytes:
    return json.dumps(fields).encode() + b"\n"


@pytest.mark.parametrize(
    "content",
    [
        b"{}}\n",
        b"[]\n",
        line(score=2.0),
        line(score=-0.1),
        line(score="1"),
        b'{"score": NaN}\n',
        b'{"score": Infinity}\n',
        line(score=1.0, more=1),
        line(score=1.0, files=[["a", -1]]),
        line(score=1.0, files=[["a", 1 << 40]]),
        line(score=1.0, files=[["a", 0] for _ in range(1000)]),
        line(failure={"phase": "somewhere", "name": "f", "type": "E", "message": ""}),
        line(refused=[{"phase": "result", "kind": "host", "name": "x" * 5000}]),
        b"x" * (1 << 17) + b"\n",
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidAnswer):
        read(content)


@pytest.mark.parametrize("content", [b"", b'{"score": 1.0}', line(score=1.0, files=[["a", 4]]) + b"ab"])
def test_an_answer_that_is_cut_off_is_an_end(content: bytes) -> None:
    with pytest.raises(EOFError):
        read(content)


def test_files_outside_of_the_cache_folder_are_dropped() -> None:
    names = ["a.xlsx", "../b", "/etc/c", "d/../../e", "", ".", "f/g.txt", "h\0i"]
    sizes: list[JsonValue] = [[name, 1] for name in names]
    content = line(ended=True, files=sizes) + b"12345678"
    assert read(content, EndedAnswer)[1] == {"a.xlsx": b"1", "f/g.txt": b"7"}
