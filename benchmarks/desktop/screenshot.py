"""How long a screenshot of 1920x1080 takes to PNG bytes: `python benchmarks/desktop/screenshot.py [--json]`.

What did not change since the last screenshot is not converted again, so three are timed: of a screen that nothing
touched, after the pointer went elsewhere, and of a screen in which every pixel is new (a copy of the framebuffer in
which the picture and its negative take turns).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from trueline.actions import Move, Point
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.desktop.local.controller import FRAMEBUFFER
from trueline.desktop.screen import CachedScreen, Framebuffer
from trueline.records import ObservationSpec


async def live(times: int, *, moved: bool) -> list[float]:
    took: list[float] = []
    async with LocalDesktop(LocalOptions()) as desktop:
        await open_application(desktop, APPLICATIONS["mousepad"])
        for number in range(times + 1):
            if moved:
                at = Point(100 + 37 * number % 1700, 900 - 23 * number % 800)
                await desktop.act(Move(to=at), id=f"move-{number}")
            began = time.perf_counter()
            await desktop.observe(ObservationSpec())
            took.append(time.perf_counter() - began)
    return took[1:]


async def all_new(times: int) -> list[float]:
    async with LocalDesktop(LocalOptions()) as desktop:
        await open_application(desktop, APPLICATIONS["mousepad"])
        drawn = (desktop.running.sandbox.path("fb") / FRAMEBUFFER).read_bytes()
    took: list[float] = []
    with TemporaryDirectory(dir="/dev/shm") as folder:  # as Xvfb's own file, in memory
        path = Path(folder) / FRAMEBUFFER
        path.write_bytes(drawn)
        with Framebuffer(path) as screen:
            offset = screen.layout.offset
            faces = drawn[offset:], bytes(255 - byte for byte in drawn[offset:])
            view = CachedScreen(screen, lambda: 0)  # nobody draws while it is read
            for number in range(times + 1):
                with path.open("r+b") as file:
                    file.seek(offset)
                    file.write(faces[number % 2])
                began = time.perf_counter()
                view.read()
                view.png()
                took.append(time.perf_counter() - began)
    return took[1:]


async def measure(times: int) -> dict[str, list[float]]:
    return {
        "untouched": await live(times, moved=False),
        "pointer_moved": await live(times, moved=True),
        "all_new": await all_new(times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    found = asyncio.run(measure(args.times))
    figures = {
        name: {"median_ms": statistics.median(took) * 1e3, "min_ms": min(took) * 1e3, "max_ms": max(took) * 1e3}
        for name, took in found.items()
    }
    if args.json:
        print(json.dumps({"times": args.times, "load_before": load, "cores": os.cpu_count(), **figures}, indent=2))
        return
    print(f"{args.times} times on {os.cpu_count()} cores, load before {load:.1f}")
    for name, value in figures.items():
        print(f"{name:14} median {value['median_ms']:.1f} ms  min {value['min_ms']:.1f}  max {value['max_ms']:.1f}")


if __name__ == "__main__":
    main()
