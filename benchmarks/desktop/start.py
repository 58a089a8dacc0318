"""How long a local desktop takes to start, reset and stop: `python benchmarks/desktop/start.py [--runs 10] [--json]`.

A start counts until background and panel are shown, a reset until the application's window is shown again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import time
from collections.abc import Awaitable

from trueline.desktop.local import LocalDesktop, LocalOptions, Pool
from trueline.desktop.types import WindowShown

APPLICATIONS = {"mousepad": ("mousepad",), "calc": ("localc",)}
PROGRAMS = {"mousepad": "mousepad", "calc": "soffice"}
WINDOWS = {"mousepad": "mousepad", "calc": "libreoffice"}


async def timed(work: Awaitable[object]) -> float:
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin


async def shown(desktop: LocalDesktop, application: str) -> None:
    await desktop.launch(APPLICATIONS[application])
    await desktop.wait_for(WindowShown(app=WINDOWS[application]), time_limit=60)


async def cold(application: str, runs: int) -> dict[str, list[float]]:
    starts, resets, stops = list[float](), list[float](), list[float]()
    for _ in range(runs):
        desktop = LocalDesktop(LocalOptions())
        starts.append(await timed(desktop.start()))
        await shown(desktop, application)

        async def again(desktop: LocalDesktop = desktop) -> None:
            await desktop.reset()
            await shown(desktop, application)

        resets.append(await timed(again()))
        stops.append(await timed(desktop.stop()))
    return {"start_s": starts, f"reset_{application}_s": resets, "stop_s": stops}


async def warm(runs: int) -> dict[str, list[float]]:
    resets = list[float]()
    async with Pool(LocalOptions(), size=1) as pool, LocalDesktop(pool=pool) as desktop:
        for _ in range(runs):
            await pool.ready()
            resets.append(await timed(desktop.reset()))
    return {"reset_from_pool_s": resets}


async def measure(runs: int) -> dict[str, dict[str, float]]:
    async with LocalDesktop(LocalOptions()):
        pass  # the template is made ready and the page cache filled
    figures: dict[str, list[float]] = {}
    for application in APPLICATIONS:
        if shutil.which(PROGRAMS[application], path="/usr/bin"):
            figures |= {name: values for name, values in (await cold(application, runs)).items() if name not in figures}
    figures |= await warm(runs)
    return {
        name: {"median": statistics.median(values), "min": min(values), "max": max(values)}
        for name, values in figures.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    figures = asyncio.run(measure(args.runs))
    if args.json:
        print(json.dumps({"runs": args.runs, "load_before": load, "cores": os.cpu_count(), **figures}, indent=2))
        return
    print(f"{args.runs} runs on {os.cpu_count()} cores, load before {load:.1f}")
    for name, value in figures.items():
        print(f"{name:22} median {value['median']:.3f}  min {value['min']:.3f}  max {value['max']:.3f}")


if __name__ == "__main__":
    main()
