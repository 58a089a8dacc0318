"""How long an ordinary click and a key take with the wait for the screen after them: a local desktop, nothing launched.

python benchmarks/desktop/settle.py [--rounds 40]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from pathlib import Path

from trueline.actions import Action, Click, Key, Point
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.types import Settled, WindowShown


async def measure(rounds: int) -> dict[str, list[float]]:
    """Seconds of each round, by what was done."""
    found: dict[str, list[float]] = {"click": [], "key": []}
    actions: dict[str, Action] = {"click": Click(at=Point(500, 400)), "key": Key(key="a")}
    async with LocalDesktop(LocalOptions(width=1024, height=768)) as desktop:
        await desktop.launch(("mousepad",))
        await desktop.wait_for(WindowShown(app="mousepad"), time_limit=30)
        await desktop.settle(time_limit=30)
        for number in range(rounds):
            for name, action in actions.items():
                began = time.perf_counter()
                await desktop.act(action, id=f"{name}-{number}")
                await desktop.wait_for(Settled(quiet=0.05), time_limit=3.0)
                found[name].append(time.perf_counter() - began)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    found = asyncio.run(measure(parser.parse_args().rounds))
    print(f"load {Path('/proc/loadavg').read_text().split()[0]}")
    for name, seconds in found.items():
        print(f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, of {len(seconds)}")


if __name__ == "__main__":
    main()
