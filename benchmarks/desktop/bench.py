"""What the desktop benchmarks share: a bare desktop with applications on it, and a way to take times."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))


class Bare(Protocol):
    """The desktop of the tests, without a sandbox."""

    folder: Path
    display: str
    framebuffer: Path
    bus: str
    env: dict[str, str]

    def launch(self, *words: str) -> object: ...
    def run(self, *words: str) -> str: ...
    def wait_window(self, name: str) -> int: ...


bare_desktop: Callable[[tuple[int, int]], AbstractContextManager[Bare]] = import_module(
    "support.bare_desktop"
).bare_desktop


def milliseconds(work: Callable[[], object], times: int = 30) -> float:
    """The median time of one call, after one that does not count."""
    work()
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1e3)
    return round(statistics.median(taken), 3)


def report(**figures: object) -> None:
    """Print the figures as one JSON document."""
    print(json.dumps(figures, indent=2))
