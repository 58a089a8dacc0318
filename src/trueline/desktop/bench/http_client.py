"""A client in a process of its own: `python -m trueline.desktop.bench.http_client URL TIMES`.

It asks as OSWorld's controllers do, over a new connection each time, once more than it counts. It writes the
milliseconds as JSON, and the bytes and elements of the last answer.
"""

from __future__ import annotations

import json
import sys
import time
from urllib.request import ProxyHandler, build_opener


def ask(url: str, times: int) -> dict[str, object]:
    """Get it so many times, each one read to its end."""
    opener = build_opener(ProxyHandler({}))
    taken: list[float] = []
    body = b""
    for _ in range(times + 1):
        began = time.perf_counter()
        with opener.open(url, timeout=300) as answer:
            body = answer.read()
        taken.append((time.perf_counter() - began) * 1e3)
    elements = body.count(b" name=") if body.startswith(b"{") else 0
    return {"ms": taken[1:], "bytes": len(body), "elements": elements}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ask(sys.argv[1], int(sys.argv[2]))))
