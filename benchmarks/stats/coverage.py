"""Print, as Markdown, how often intervals hold the truth and tests reject over simulated studies.

    .venv/bin/python benchmarks/stats/coverage.py [--studies 4000] [--tests 2000]

The default takes about ten minutes on one core. The figures stand in the docs.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product

import numpy as np

from trueline.stats.power.calibration import Coverage, interval_coverage, rejection_rates
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.power.simulate import StudyPlan

Case = tuple[float, float, float, float]
LOW, HIGH = 0.92, 0.97

REALISTIC: list[Case] = [
    (base, round(base + change, 2), rho, link)
    for base, change, rho, link in product((0.3, 0.45, 0.6, 0.75), (0.0, 0.1), (0.3, 0.5, 0.7), (1.0, 0.8))
]
"""Pass^1 before and after, likeness of runs, and how far both settings agree on what is hard."""
EXTREME: list[Case] = [
    (base, new, rho, 0.9)
    for (base, new), rho in product(((0.05, 0.05), (0.05, 0.1), (0.1, 0.2), (0.9, 0.95), (0.95, 0.85)), (0.1, 0.5, 0.9))
]


def plan_of(tasks: int, case: Case) -> StudyPlan:
    base, new, rho, link = case
    sizes = (1,) if tasks < 30 else StudyPlan.domain_sizes
    return StudyPlan(Difficulty(base, rho), Difficulty(new, rho), tasks, 3, link, domain_sizes=sizes)


def summary(name: str, cells: list[Coverage]) -> str:
    held = [cell.held for cell in cells]
    below = sum(h < LOW for h in held)
    beyond = [cell.informative for cell in cells if cell.held > HIGH]
    carried = f"{len(beyond)} (at most {max(beyond):.0f})" if beyond else "0"
    return (
        f"| {name} | {min(held):.1%} | {np.mean(held):.1%} | {max(held):.1%} | {below} | {carried} "
        f"| {np.mean([c.too_low for c in cells]):.1%} / {np.mean([c.too_high for c in cells]):.1%} "
        f"| {np.mean([c.width for c in cells]):.3f} |"
    )


def coverage_table(title: str, task_numbers: tuple[int, ...], cases: list[Case], studies: int) -> None:
    print(f"\n### {title} ({len(cases)} cells per row)\n")
    print(
        "| figure | lowest | mean | highest | cells below 92 % | cells above 97 % (tasks that carry the figure) "
        "| interval below / above truth | mean width |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for tasks in task_numbers:
        for k in (1, 3):
            pairs = [
                interval_coverage(plan_of(tasks, case), k, studies=studies, seed=i) for i, case in enumerate(cases)
            ]
            print(summary(f"{tasks} tasks, Pass^{k}", [pair.rate for pair in pairs]))
            print(summary(f"{tasks} tasks, difference of Pass^{k}", [pair.difference for pair in pairs]), flush=True)


def cluster_table(studies: int) -> None:
    print("\n### Clusters: injections by host task, a task with its rephrasing\n")
    print("| units | per cluster | figure | lowest | mean | highest |\n|---|---|---|---|---|---|")
    for units, size in ((120, 12), (150, 6), (360, 12), (100, 2), (361, 2)):
        cells: dict[str, list[float]] = {}
        for i, (base, new, link, share) in enumerate(product((0.3, 0.6), (0.25, 0.55), (1.0, 0.8), (0.3, 0.7))):
            plan = StudyPlan(Difficulty(base, 0.5), Difficulty(new, 0.5), units, 3, link, (3, 2, 1), 0.1, size, share)
            for k in (1, 3):
                pair = interval_coverage(plan, k, studies=studies, seed=i)
                cells.setdefault(f"Pass^{k}", []).append(pair.rate.held)
                cells.setdefault(f"difference of Pass^{k}", []).append(pair.difference.held)
        for figure, held in cells.items():
            print(
                f"| {units} | {size} | {figure} | {min(held):.1%} | {np.mean(held):.1%} | {max(held):.1%} |", flush=True
            )


def test_tables(studies: int) -> None:
    print("\n### Tests at 5 %: how often they reject\n")
    null, effect = Difficulty(0.5, 0.6), Difficulty(0.6, 0.6)
    rows: dict[str, list[str]] = {}
    plans: dict[str, StudyPlan] = {}
    for tasks in (36, 100, 361):
        plans[f"no change, {tasks} tasks"] = StudyPlan(null, null, tasks, 3)
    for tasks in (36, 100, 361):
        plans[f"Pass^1 0.5 to 0.6, {tasks} tasks"] = StudyPlan(null, effect, tasks, 3)
    clustered = StudyPlan(null, null, 120, 3, 0.5, (3, 2, 1), 0.1, 6, 0.6)
    plans["no change, 120 units in clusters of 6"] = clustered
    plans["0.5 to 0.6, 120 units in clusters of 6"] = replace(clustered, new=effect, link=0.9)
    for i, plan in enumerate(plans.values()):
        for name, share in rejection_rates(plan, studies=studies, seed=i).items():
            rows.setdefault(name, ["-"] * i).append(f"{share:.1%}")
        for cells in rows.values():
            cells += ["-"] * (i + 1 - len(cells))
    print("| test | " + " | ".join(plans) + " |")
    print("|---" * (len(plans) + 1) + "|")
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(
        "\nThe permutation tests are about run noise on given tasks; "
        "in the clustered null each task does change, so they reject."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000, help="simulated studies per cell of the interval tables")
    parser.add_argument("--tests", type=int, default=2000, help="simulated studies per cell of the table of tests")
    options = parser.parse_args()
    error = np.sqrt(0.05 * 0.95 / options.studies)
    print(f"95 % intervals, three runs, {options.studies} simulated studies per cell (standard error {error:.2%}).")
    coverage_table("OSWorld's ten domains, usual rates", (36, 100, 361), REALISTIC, options.studies)
    coverage_table("OSWorld's ten domains, rates near 0 and 1", (36, 100, 361), EXTREME, options.studies)
    coverage_table("One domain, few tasks", (5, 8, 15), REALISTIC, options.studies)
    cluster_table(options.studies // 2)
    test_tables(options.tests)


if __name__ == "__main__":
    main()
