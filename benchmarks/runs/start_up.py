"""Seconds until `import trueline` and the first public names are there, each in a Python of its own."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

CODE = {
    "python": "pass",
    "import trueline": "import trueline",
    "from trueline import run": "from trueline import run",
    "from trueline import metrics": "from trueline import metrics",
    "trueline --help": "from trueline.cli import main; main(['--help'])",
}


def seconds(code: str) -> float:
    """Wall-clock seconds of one process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=11, help="processes for each figure (11)")
    times = parser.parse_args().times
    print("| what | median (s) | fastest (s) |\n|---|---|---|")
    for what, code in CODE.items():
        seconds(code)
        found = [seconds(code) for _ in range(times)]
        print(f"| {what} | {statistics.median(found):.3f} | {min(found):.3f} |")


if __name__ == "__main__":
    main()
