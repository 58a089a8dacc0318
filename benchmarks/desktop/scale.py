"""How many desktops a machine holds: `python benchmarks/desktop/scale.py [--idle 20] [--at-once 40] [--rounds 1000]`.

Memory is the sum of what all processes of the desktops hold, shared pages divided among those that share them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from pathlib import Path

from trueline.actions import Click, Point, Type
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.process_usage import descendants, processor_times, used_between
from trueline.records import ObservationSpec

IDLE_S = 10.0


def share(pid: int) -> int:
    """Bytes of memory of one process, its part of what it shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except OSError:
        return 0


def memory(supervisor: int) -> int:
    return sum(share(pid) for pid in (supervisor, *descendants(supervisor)))


async def many(count: int) -> dict[str, float]:
    """Start that many at once, leave them alone for a while, stop them at once."""
    desktops = [LocalDesktop(LocalOptions()) for _ in range(count)]
    began = time.perf_counter()
    await asyncio.gather(*(desktop.start() for desktop in desktops))
    started = time.perf_counter() - began
    supervisors = [desktop.running.sandbox.supervisor_pid for desktop in desktops]
    before = [processor_times(supervisor) for supervisor in supervisors]
    await asyncio.sleep(IDLE_S)
    after = [processor_times(supervisor) for supervisor in supervisors]
    busy = sum(used_between(*pair) for pair in zip(before, after, strict=True)) / IDLE_S
    held = sum(map(memory, supervisors))
    began = time.perf_counter()
    await asyncio.gather(*(desktop.stop() for desktop in desktops))
    return {
        "desktops": count,
        "start_all_s": round(started, 2),
        "memory_mib": held >> 20,
        "idle_processors": round(busy, 3),
        "stop_all_s": round(time.perf_counter() - began, 2),
    }


async def rounds(count: int) -> dict[str, float]:
    """Look and act again and again on one desktop."""
    async with LocalDesktop(LocalOptions()) as desktop:
        await desktop.launch(("mousepad",))

        async def once(number: int) -> None:
            await desktop.observe(ObservationSpec(tree=True))
            await desktop.act(Click(at=Point(960, 540)), id=f"click-{number}")
            await desktop.act(Type(text="abc"), id=f"type-{number}")

        for number in range(50):
            await once(-number - 1)
        supervisor, own = desktop.running.sandbox.supervisor_pid, os.getpid()
        files, held, inside = len(os.listdir("/proc/self/fd")), share(own), memory(supervisor)
        began = time.perf_counter()
        for number in range(count):
            await once(number)
        return {
            "rounds": count,
            "round_ms": round((time.perf_counter() - began) / count * 1e3, 1),
            "host_growth_mib": (share(own) - held) >> 20,
            "desktop_growth_mib": (memory(supervisor) - inside) >> 20,
            "descriptor_growth": len(os.listdir("/proc/self/fd")) - files,
        }


async def measure(idle: int, at_once: int, times: int) -> dict[str, dict[str, float]]:
    async with LocalDesktop(LocalOptions()):
        pass  # the template is made ready
    return {"idle": await many(idle), "at_once": await many(at_once), "rounds": await rounds(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=1000)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    figures = asyncio.run(measure(args.idle, args.at_once, args.rounds))
    print(json.dumps({"load_before": load, "cores": os.cpu_count(), **figures}, indent=2))


if __name__ == "__main__":
    main()
