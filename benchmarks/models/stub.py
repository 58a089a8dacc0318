"""A server that answers every POST after a fixed time, at as little cost as possible. It prints its port."""

from __future__ import annotations

import argparse
import asyncio
import sys

BODY = (
    b'{"id":"x","object":"chat.completion","created":1,"model":"stub","choices":[{"index":0,"finish_reason":"stop",'
    b'"message":{"role":"assistant","content":"ok"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}'
)
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)


class Stub(asyncio.Protocol):
    """Counts the bytes of a request and throws them away."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s = delay_s
        self.head = b""
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
            data = rest
        self.missing -= len(data)
        if self.missing == 0:
            asyncio.get_running_loop().call_later(self.delay_s, self.answer)

    def answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(RESPONSE)


async def main(delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Stub(delay_s), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    # The one who started us closes our standard input when done.
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("delay", type=float, metavar="SECONDS", help="how long an answer takes")
    asyncio.run(main(parser.parse_args().delay))
