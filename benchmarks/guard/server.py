"""A model server that costs next to nothing: it looks at a request's model and at the action's word, waits, answers.

`python server.py fast=0.3 deep=0.7 narrator=0.3` prints its port; it ends when its standard input closes, and then
prints how many requests it answered for each model, the most at the same time, and its CPU seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter

_MODELS = ("fast", "deep", "narrator")


def _answer(model: str, word: str) -> dict[str, str | bool]:
    if model == "narrator":
        return {"narrative": "A field was filled in."}
    return {"thought": "t"} | ({"align": word == "clear"} if model == "fast" else {"conclusion": word == "wrong"})


class Server:
    """What all connections share."""

    def __init__(self, delays: dict[str, float]) -> None:
        self.delays = delays
        self.answered: Counter[str] = Counter()
        self.active = 0
        self.most = 0
        words = ("clear", "doubt", "wrong")
        self.responses = {(model, word): _response(_answer(model, word)) for model in _MODELS for word in words}


def _response(content: object) -> bytes:
    message = {"role": "assistant", "content": json.dumps(content)}
    body = json.dumps(
        {
            "id": "x", "object": "chat.completion", "created": 1, "model": "stub",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 50, "total_tokens": 1550},
        }
    ).encode()  # fmt: skip
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


class Connection(asyncio.Protocol):
    """Counts the bytes of a request and keeps only its first and last ones."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.head = b""
        self.begin = self.end = b""
        self.missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.missing == 0:
            self.head += data
            head, end, rest = self.head.partition(b"\r\n\r\n")
            if not end:
                return
            self.head = b""
            self.missing = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            self.begin = self.end = b""
            data = rest
        if len(self.begin) < 200:
            self.begin += data[:200]
        self.end = (self.end + data)[-4000:]
        self.missing -= len(data)
        if self.missing == 0:
            model = next(name for name in _MODELS if b'"model":"%s"' % name.encode() in self.begin)
            word = next((w for w in ("clear", "doubt", "wrong") if f"{w}-step".encode() in self.end), "clear")
            self.server.active += 1
            self.server.most = max(self.server.most, self.server.active)
            asyncio.get_running_loop().call_later(self.server.delays[model], self.answer, model, word)

    def answer(self, model: str, word: str) -> None:
        self.server.active -= 1
        self.server.answered[model] += 1
        if not self.transport.is_closing():
            self.transport.write(self.server.responses[model, word])


async def main(words: list[str]) -> None:
    delays = {name: float(value) for name, _, value in (word.partition("=") for word in words)}
    server = Server(delays)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    # The one who started us closes our standard input when done.
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps({"answered": server.answered, "most": server.most, "cpu_s": time.process_time()}), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("delays", nargs="*", metavar="MODEL=SECONDS", help="how long a model takes to answer")
    asyncio.run(main(parser.parse_args().delays))
