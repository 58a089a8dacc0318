"""What a working root costs: `python benchmarks/desktop/root.py [--rounds 20]`.

Desktops with and without it are started in turn, so that what else the machine does burdens both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable
from pathlib import Path

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.ownership import owner
from trueline.desktop.local.process_usage import descendants
from trueline.desktop.local.root import root_mode

KINDS = {
    "without": LocalOptions(sudo_password="password"),
    "with root": LocalOptions(root=True, sudo_password="password"),
}


def proportional_memory(pid: int) -> int:
    """Bytes of memory of one process, with its share of what several have."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except OSError:
        return 0


async def round_of(options: LocalOptions) -> dict[str, float]:
    """Start, use, reset and stop one desktop; milliseconds, and MiB."""
    desktop = LocalDesktop(options)
    took: dict[str, float] = {}

    async def timed(name: str, work: Awaitable[object]) -> None:
        began = time.perf_counter()
        await work
        took[name] = (time.perf_counter() - began) * 1000

    await timed("start", desktop.start())
    await desktop.run(("sudo", "-S", "true"), stdin=b"password\n")
    await timed("sudo true", desktop.run(("sudo", "-n", "true")))
    await timed("true", desktop.run(("true",)))
    supervisor = desktop.running.sandbox.supervisor_pid
    took["memory MiB"] = sum(map(proportional_memory, (supervisor, *descendants(supervisor)))) / (1 << 20)
    await timed("reset", desktop.reset())
    await timed("stop", desktop.stop())
    return took


async def measure(rounds: int) -> dict[str, dict[str, list[float]]]:
    """All rounds, the kinds in turn; each figure as median, least and most."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in KINDS}
    await round_of(KINDS["with root"])  # caches
    for _ in range(rounds):
        for name, options in KINDS.items():
            found[name].append(await round_of(options))
    return {
        name: {
            what: [round(pick([each[what] for each in all_]), 1) for pick in (statistics.median, min, max)]
            for what in all_[0]
        }
        for name, all_ in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    figures = asyncio.run(measure(args.rounds))
    print(json.dumps({"mode": root_mode(owner()), "rounds": args.rounds, **figures}, indent=2))


if __name__ == "__main__":
    main()
