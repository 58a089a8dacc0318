"""How long `trueline metrics` takes on folders of results, and how much memory. Prints a Markdown table.

    .venv/bin/python benchmarks/stats/metrics_speed.py [--large]

The folders are made anew in a temporary place with 20 pictures in each episode, and dropped from the page cache where
the machine allows it, so that the first reading is a cold one.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.results.runs import write_runs

DOMAINS = {"chrome": 46, "gimp": 26, "calc": 47, "impress": 47, "writer": 23, "multi_apps": 93, "os": 24,
           "thunderbird": 15, "vlc": 17, "vs_code": 23}  # fmt: skip


def units(n: int) -> list[Unit]:
    names = [domain for domain, count in DOMAINS.items() for _ in range(count)]
    return [Unit(names[i % len(names)], f"task-{i:06d}") for i in range(n)]


def make(root: Path, n_tasks: int, n_runs: int, n_settings: int, pictures: int) -> list[list[Path]]:
    rng = np.random.default_rng(1)
    settings: list[list[Path]] = []
    for number in range(n_settings):
        chance = rng.beta(0.6, 0.5, n_tasks)[:, None]
        scores = (rng.random((n_tasks, n_runs)) < chance).astype(float)
        runs = write_runs(root / f"setting{number}", Condition("pyautogui", "screenshot", "m"), units(n_tasks), scores)
        settings.append(runs)
    for result in root.rglob("result.txt"):
        (result.parent / "traj.jsonl").write_text("{}\n")
        for step in range(pictures):
            (result.parent / f"step_{step}.png").touch()
    return settings


def drop_caches() -> bool:
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        return False
    # The folder is to be cold, not the program that reads it.
    imports = "import trueline.cli.metrics, trueline.stats.metrics.api, trueline.stats.metrics.report_text"
    subprocess.run([sys.executable, "-c", imports], check=True)
    return True


def measure(settings: list[list[Path]]) -> tuple[float, float]:
    words = [sys.executable, "-m", "trueline", "metrics", "--run-dirs", *map(str, settings[0])]
    for runs in settings[1:]:
        words += ["--compare-dirs", *map(str, runs)]
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def plain_loop(root: Path) -> float:
    """Seconds of a program that only finds and reads the scores, its start included."""
    code = "import sys, pathlib; sum(float(p.read_text()) for p in pathlib.Path(sys.argv[1]).rglob('result.txt'))"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, str(root)], check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also 100,000 episodes")
    args = parser.parse_args()
    cases = [(361, 3, 8, 20), *([(12_500, 4, 2, 2)] if args.large else [])]
    print(f"load: {os.getloadavg()[0]:.1f}\n")
    print("| tasks x runs x settings | episodes | cold (s) | warm (s) | plain loop (s) | peak (MB) | caches dropped |")
    print("|---|---|---|---|---|---|---|")
    for n_tasks, n_runs, n_settings, pictures in cases:
        with tempfile.TemporaryDirectory() as name:
            settings = make(Path(name), n_tasks, n_runs, n_settings, pictures)
            dropped = drop_caches()
            cold, _ = measure(settings)
            warm, memory = min(measure(settings) for _ in range(3))
            plain = min(plain_loop(Path(name)) for _ in range(3))
            episodes = n_tasks * n_runs * n_settings
            print(f"| {n_tasks} x {n_runs} x {n_settings} | {episodes:,} | {cold:.2f} | {warm:.2f} | {plain:.2f} | "
                  f"{memory:.0f} | {'yes' if dropped else 'no'} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
