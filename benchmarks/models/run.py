"""How fast models are called: python benchmarks/models/run.py [--calls 10000]. Prints a table in Markdown.

A stub beside it answers after 200 ms. Every request carries another 1 MB picture, so nothing is encoded once for all.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

from trueline.models import Config, Image, Request, open_model, user
from trueline.models.cache import Cache, CachedModel
from trueline.models.envfiles import Env
from trueline.models.types import Answer, Model, ModelId

P = ParamSpec("P")
R = TypeVar("R")

DELAY_S = 0.2
PICTURE = random.Random(0).randbytes(1_000_000)
IN_FLIGHT = 64


def picture(number: int) -> bytes:
    return PICTURE[:-8] + number.to_bytes(8, "big")


@contextmanager
def stub() -> Generator[str]:
    program = Path(__file__).with_name("stub.py")
    with subprocess.Popen(
        [sys.executable, str(program), str(DELAY_S)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()


def memory_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def ask_many(model: Model, calls: int) -> tuple[float, list[float]]:
    """Return requests per second, and the memory in use at each tenth of the way."""
    numbers = iter(range(calls))
    memory: list[float] = []

    async def worker() -> None:
        for number in numbers:
            request = Request(messages=(user("What is on the screen?", Image(data=picture(number))),))
            (await model.ask(request)).require()
            if (number + 1) % max(1, calls // 10) == 0:
                memory.append(memory_mb())

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return calls / (time.perf_counter() - began), memory


def trueline_calls(url: str, calls: int) -> tuple[float, list[float]]:
    """Return requests per second, and the memory before the first call and at each tenth of the way."""

    async def work() -> tuple[float, list[float]]:
        model = open_model("local|stub", url=url, config=Config(env=Env({})))
        before = memory_mb()
        await ask_many(model, IN_FLIGHT)
        rate, memory = await ask_many(model, calls)
        await model.close()
        return rate, [before, *memory]

    return asyncio.run(work())


def burst(url: str, calls: int) -> float:
    """Return the highest memory in MB when all is asked at once and only the limit holds it back."""

    async def work() -> None:
        model = open_model("local|stub", url=url, config=Config(env=Env({})))
        request = Request(messages=(user("What is on the screen?", Image(data=PICTURE)),))
        await asyncio.gather(*(model.ask(request) for _ in range(calls)))
        await model.close()

    asyncio.run(work())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def plain_sdk(url: str, threads: int, calls: int) -> float:
    """Return requests per second of the official client, called the plain way from threads."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=url)

    def one(number: int) -> None:
        data = base64.b64encode(picture(number)).decode()
        client.chat.completions.create(
            model="stub",
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "What is on the screen?"},
                        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
                    ],
                }
            ],
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(threads)))
        began = time.perf_counter()
        list(pool.map(one, range(calls)))
        rate = calls / (time.perf_counter() - began)
    client.close()
    return rate


class Ready:
    """A model that has its answer ready: what remains is the cost of the cache."""

    id = ModelId(provider="local", model="ready")

    async def ask(self, request: Request) -> Answer:
        assert request.purpose != "agent"
        return Answer(text="A window with a form and two buttons. " * 20)

    async def close(self) -> None:
        pass


def alone(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Do it in a fresh process, so that one measurement leaves nothing to the next."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args, **kwargs).result()


def cache_hits(calls: int) -> dict[str, list[float]]:
    """Return the milliseconds of each hit, by kind of request."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_cache_hits(Path(folder), calls))


async def _cache_hits(folder: Path, calls: int) -> dict[str, list[float]]:
    cache = Cache(folder / "answers.sqlite")
    model = CachedModel(Ready(), cache)
    tree = "label\tHome\tHome\t(1833, 942)\t(40, 17)\n" * 500

    def text(number: int) -> Request:
        return Request(messages=(user(f"{number} {tree}"),), purpose="guard")

    def pictured(number: int) -> Request:
        return Request(messages=(user("What is on the screen?", Image(data=picture(number))),), purpose="caption")

    out: dict[str, list[float]] = {}
    for name, make in (("20 kB of text", text), ("a 1 MB picture, hashed anew", pictured)):
        for number in range(calls):
            await model.ask(make(number))
        times: list[float] = []
        for number in range(calls):
            request = make(number)
            began = time.perf_counter()
            answer = await model.ask(request)
            times.append((time.perf_counter() - began) * 1000)
            assert answer.cached
        out[name] = times
    await cache.close()
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000, help="of the long run")
    calls: int = parser.parse_args().calls
    print("| what | measured | asked for |\n|---|---|---|")

    def row(what: str, measured: str, wanted: str = "") -> None:
        print(f"| {what} | {measured} | {wanted} |", flush=True)

    with stub() as url:
        four = alone(plain_sdk, url, 4, 60)
        many = alone(plain_sdk, url, IN_FLIGHT, 640)
        ours, _ = alone(trueline_calls, url, 1280)
        row("plain sync SDK, 4 threads", f"{four:.0f} requests/s")
        row(f"plain sync SDK, {IN_FLIGHT} threads", f"{many:.0f} requests/s")
        row(f"Trueline, {IN_FLIGHT} in flight", f"{ours:.0f} requests/s", "at least 140")
        row("ratio to 4 threads, to 64 threads", f"{ours / four:.1f}, {ours / many:.2f}")
        rate, (before, *memory) = alone(trueline_calls, url, calls)
        row(f"Trueline, {calls} calls", f"{rate:.0f} requests/s")
        row(
            "memory before, at a tenth of the calls, highest, at the end",
            f"{before:.0f}, {memory[0]:.0f}, {max(memory):.0f}, {memory[-1]:.0f} MB",
            "bounded",
        )
        row("highest memory, 2000 asked at once with one picture", f"{alone(burst, url, 2000):.0f} MB", "bounded")
    for name, times in alone(cache_hits, 1000).items():
        middle, late = statistics.median(times), statistics.quantiles(times, n=100)[98]
        row(f"cache hit, {name}: median, 99 %", f"{middle:.2f}, {late:.2f} ms", "under 1 ms")


if __name__ == "__main__":
    main()
