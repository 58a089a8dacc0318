"""What OSWorld's own functions cost on a local desktop: the start of the worker, its memory, one evaluation.

.venv/bin/python benchmarks/tasks/bridge_speed.py [--repeats 30]
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import statistics
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trueline.desktop.local import LocalDesktop
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.score import Bridging, Checkers
from trueline.tasks.checkers import evaluate
from trueline.tasks.downloads import Downloads
from trueline.tasks.model import Evaluator
from trueline.tasks.workspace import Workspace

COMMAND = {
    "func": "check_include_exclude",
    "result": {"type": "vm_command_line", "command": "id -un"},
    "expected": {"type": "rule", "rules": {"include": ["user"], "exclude": []}},
}
WORKBOOK = {
    "func": "compare_table",
    "result": {"type": "vm_file", "path": "/home/user/book.xlsx", "dest": "book.xlsx"},
    "expected": {"type": "cache_file", "path": "gold.xlsx"},
    "options": {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
}


def workbook() -> bytes:
    openpyxl: Any = import_module("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in range(200):
        book.active.append([f"name {row}", row, row / 7])
    book.save(file)
    return file.getvalue()


async def measure(repeats: int, cache: Path) -> None:
    async with LocalDesktop() as desktop, Bridge() as bridge:
        began = time.perf_counter()
        worker = await bridge.worker()
        started = time.perf_counter() - began
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"worker: started in {started:.2f} s, {worker.ready.memory >> 20} MiB")
        book = workbook()
        await desktop.put("book.xlsx", book)
        workspace = Workspace(desktop, Downloads(cache, offline=True), outputs={"gold.xlsx": book})
        for name, document in (("command", COMMAND), ("workbook", WORKBOOK)):
            evaluator = Evaluator.model_validate_json(json.dumps(document))
            for checkers in ("native", "bridged"):
                print(f"{name}, {checkers}: {await times(evaluator, workspace, bridge, checkers, repeats)}")


async def times(evaluator: Evaluator, workspace: Workspace, bridge: Bridge, checkers: Checkers, repeats: int) -> str:
    taken: list[float] = []
    for _ in range(repeats):
        began = time.perf_counter()
        found = await evaluate(evaluator, workspace, failed=False, checkers=checkers, bridging=Bridging(bridge))
        taken.append(time.perf_counter() - began)
        assert found.score == 1 and found.scored_by == checkers
    taken.sort()
    p95 = taken[min(len(taken) - 1, round(0.95 * len(taken)))]
    return f"median {statistics.median(taken) * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, n={len(taken)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=30)
    with TemporaryDirectory() as cache:
        asyncio.run(measure(parser.parse_args().repeats, Path(cache)))


if __name__ == "__main__":
    main()
