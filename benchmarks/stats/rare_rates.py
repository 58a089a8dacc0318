"""How intervals of rare rates with k below the number of runs behave. Prints a Markdown table.

    .venv/bin/python benchmarks/stats/rare_rates.py [--studies 2000]

Success rates of tasks are drawn from beta distributions under which few tasks, at times a single one, pass k of k runs.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from trueline.stats.intervals import mean_intervals
from trueline.stats.pass_rates.pass_k import pass_hat
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.power.simulate import StudyPlan, simulate_studies, true_pass_hat
from trueline.stats.resample import resample_weights

SIZES = ((36, 1), (100, 1), (361, 1), (360, 6))
RUNS = ((10, 5), (10, 3), (10, 8), (5, 3), (3, 2), (3, 1))
BETAS = ((1.0, 6.0), (2.0, 6.0), (0.3, 3.0), (0.1, 2.0))
FEWEST, MOST = 0.2, 30.0
"""Expected passes of the cells shown: tasks times Pass^k."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000, help="simulated studies per cell (2000)")
    studies = parser.parse_args().studies
    error = np.sqrt(0.05 * 0.95 / studies)
    print(f"{studies} simulated studies per cell (standard error {error:.2%} of a share of 5 %).\n")
    print(
        "| tasks | runs, k | cells | expected passes | 95 % interval covers (lowest / mean) | below / above truth "
        "(most) | gate error at 5 %: `<` / `>` (most) |\n|---|---|---|---|---|---|---|"
    )
    for (tasks, size), (runs, k) in product(SIZES, RUNS):
        rows: list[tuple[float, ...]] = []
        for number, (a, b) in enumerate(BETAS):
            difficulty = Difficulty(a / (a + b), 1 / (a + b + 1))
            plan = StudyPlan(
                difficulty, difficulty, tasks, runs, domain_sizes=(1,), domain_share=0.0,
                cluster_size=size, cluster_share=0.6 if size > 1 else 0.0,
            )  # fmt: skip
            truth = true_pass_hat(plan, plan.base, k)
            if not FEWEST <= tasks * truth <= MOST:
                continue
            simulated = simulate_studies(plan, studies, 100 * number + runs + k)
            units = resample_weights(simulated.domain, simulated.cluster)
            counts = simulated.base_counts
            values = pass_hat(counts.ravel(), runs, k).reshape(counts.shape).T
            misses: list[float] = []
            for level in (0.95, 0.9):
                found = mean_intervals(values, units, level=level)
                misses += [
                    float(np.mean([i.high < truth - 1e-12 for i in found])),
                    float(np.mean([i.low > truth + 1e-12 for i in found])),
                ]
            rows.append((tasks * truth, 1 - misses[0] - misses[1], *misses))
        if rows:
            expected, held, low, high, less, more = np.array(rows).T
            name = f"{tasks}" + (f" in clusters of {size}" if size > 1 else "")
            print(
                f"| {name} | {runs}, {k} | {len(rows)} | {expected.min():.1f} … {expected.max():.1f} "
                f"| {held.min():.1%} / {held.mean():.1%} | {low.max():.1%} / {high.max():.1%} "
                f"| {less.max():.1%} / {more.max():.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
