"""What an observation takes, and its parts: `python benchmarks/desktop/observation.py [--times 30]`.

Prints a table in Markdown: picture and tree of one moment as an agent gets them, and of that time what finding the
desktop's icons, the windows on the screen and the elements beneath them takes. Two files lie on the desktop. Each
figure is a median, with the fastest in brackets: on a busy machine that one is closer to what the work itself takes.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import closing

from trueline.actions import Move, Point
from trueline.desktop.accessibility import Accessibility
from trueline.desktop.bench.pages import sheet, web_page
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.desktop.local.controller import FRAMEBUFFER, accessibility_bus, session_bus
from trueline.desktop.local.desktop_icons import DesktopIcons
from trueline.desktop.local.running import connect_x
from trueline.desktop.local.stacking import Stacking
from trueline.desktop.screen import Framebuffer
from trueline.desktop.visibility import flag_covered
from trueline.records import ObservationSpec
from trueline.records.tree import shown

FILES = {"calc": ("sheet.fods", sheet), "chromium": ("rows.html", web_page)}


async def measure_one(times: int, work: Callable[[], Awaitable[object]]) -> list[float]:
    """Milliseconds, after one time that does not count."""
    taken: list[float] = []
    for _ in range(times + 1):
        began = time.perf_counter()
        await work()
        taken.append(1e3 * (time.perf_counter() - began))
    return taken[1:]


async def measure(name: str, times: int) -> str:
    """One row: an application on a desktop with three icons."""
    async with LocalDesktop(LocalOptions()) as desktop:
        await desktop.put("Desktop/a.txt", b"a")
        await desktop.put("Desktop/b.txt", b"b")
        path, content = FILES.get(name, ("", bytes))
        if path:
            await desktop.put(path, content())
        await open_application(desktop, APPLICATIONS[name], *([f"/home/user/{path}"] if path else []))
        await desktop.observe(ObservationSpec(tree=True))  # the icons are saved by its end
        places = iter(range(10_000))

        async def observe() -> None:
            # An unchanged screen would come from the cache.
            number = next(places)
            await desktop.act(Move(to=Point(900 + number % 500, 900)), id=f"m{number}")
            began = time.perf_counter()
            await desktop.observe(ObservationSpec(tree=True))
            looks.append(1e3 * (time.perf_counter() - began))

        looks: list[float] = []
        for _ in range(times + 1):
            await observe()
        sandbox = desktop.running.sandbox
        with (
            closing(Stacking(await connect_x(sandbox))) as stacking,
            closing(await session_bus(sandbox)) as session,
            closing(Accessibility(await accessibility_bus(sandbox))) as tree,
            Framebuffer(sandbox.path("fb") / FRAMEBUFFER) as screen,
        ):
            reading = await asyncio.to_thread(tree.read)
            windows = stacking.read()
            icons = DesktopIcons(sandbox, session, stacking, "C.UTF-8")
            parts = (
                await measure_one(times, lambda: icons.read(screen.read, -math.inf)),
                await measure_one(times, lambda: asyncio.to_thread(stacking.read)),
                await measure_one(
                    times,
                    lambda: asyncio.to_thread(flag_covered, reading.tree, reading.pids, windows, screen.size),
                ),
            )
        listed = sum(1 for _ in shown(reading.tree))
        figures = " | ".join(f"{statistics.median(part):.1f} ({min(part):.1f})" for part in (looks[1:], *parts))
        return f"| {name} | {listed} | {figures} |"


async def main(times: int) -> None:
    print(f"load before: {os.getloadavg()[0]:.1f}, cores: {len(os.sched_getaffinity(0))}, times: {times}\n")
    print("| application | rows | observation (ms) | of it icons | windows | covered elements |")
    print("|---|---|---|---|---|---|")
    for name in ("mousepad", "calc", "chromium"):
        print(await measure(name, times))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30, help="observations of each kind (30)")
    asyncio.run(main(parser.parse_args().times))
