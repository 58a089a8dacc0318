"""How often the comparison of unequal numbers of runs rejects when nothing changed. Prints a Markdown table.

.venv/bin/python benchmarks/stats/unequal_runs.py
"""

from __future__ import annotations

from itertools import product

import numpy as np

from trueline.stats.compare import compare_unequal
from trueline.stats.difficulty import Difficulty
from trueline.stats.options import Options

STUDIES = 1000
RUNS = (3, 5)


def main() -> None:
    rng = np.random.default_rng(0)
    print("| tasks | Pass^1 | rho | link | Pass^1 rejects | Pass^3 rejects |\n|---|---|---|---|---|---|")
    for tasks, (mean, rho), link in product((36, 100, 361), ((0.5, 0.5), (0.3, 0.7)), (1.0, 0.8)):
        difficulty = Difficulty(mean, rho)
        rejected = {1: 0, 3: 0}
        for _ in range(STUDIES):
            ease = rng.standard_normal(tasks)
            moved = link * ease + np.sqrt(1 - link**2) * rng.standard_normal(tasks)
            x = rng.binomial(RUNS[0], difficulty.at(ease))
            y = rng.binomial(RUNS[1], difficulty.at(moved))
            for k in rejected:
                rejected[k] += compare_unequal(x, RUNS[0], y, RUNS[1], k, None, Options()).significant
        rates = " | ".join(f"{100 * count / STUDIES:.1f} %" for count in rejected.values())
        print(f"| {tasks} | {mean} | {rho} | {link} | {rates} |", flush=True)


if __name__ == "__main__":
    main()
