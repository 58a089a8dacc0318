"""How fast Visual Studio Code starts on a desktop: `python benchmarks/desktop/vs_code.py [--runs 10]`.

Each run is a fresh desktop: from `code FILE` to the window, to the file's name in its title, and to a still screen with
all programs idle. Processor time is the desktop's until the title: on a busy machine the clock tells little.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import Callable

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import rest
from trueline.desktop.local.process_usage import processor_times, used_between
from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import Window

POLL_S, LIMIT_S = 0.02, 120.0


async def until(desktop: LocalDesktop, holds: Callable[[Window], bool], end: float) -> None:
    while time.perf_counter() < end:
        if any(map(holds, await desktop.windows())):
            return
        await asyncio.sleep(POLL_S)
    raise SystemExit("no window came in time")


async def once() -> dict[str, float]:
    async with LocalDesktop(LocalOptions()) as desktop:
        await desktop.put("notes.txt", b"one\ntwo\n")
        supervisor = desktop.running.sandbox.supervisor_pid
        before, began = processor_times(supervisor), time.perf_counter()
        await desktop.launch(("code", "/home/user/notes.txt"))
        await until(desktop, lambda window: window.app == "code", began + LIMIT_S)
        window = time.perf_counter() - began
        await until(desktop, lambda window: window.title == "notes.txt - Visual Studio Code", began + LIMIT_S)
        title = time.perf_counter() - began
        busy = used_between(before, processor_times(supervisor))
        await rest(desktop, LIMIT_S)
        return {"window_s": window, "title_s": title, "idle_s": time.perf_counter() - began, "processor_s": busy}


async def main(runs: int) -> None:
    measured = [await once() for _ in range(runs)]
    report: dict[str, object] = {"runs": runs, "load": round(os.getloadavg()[0], 1)}
    for name in measured[0]:
        values = [each[name] for each in measured]
        report[name] = {"median": round(statistics.median(values), 2), "max": round(max(values), 2)}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    wanted = parser.parse_args()
    if find_vs_code() is None:
        raise SystemExit("this machine has no Visual Studio Code: trueline desktop install-vscode")
    asyncio.run(main(wanted.runs))
