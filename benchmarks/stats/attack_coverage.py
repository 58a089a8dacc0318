"""Print, as Markdown, how often the intervals of attack success hold the truth and its tests reject.

    .venv/bin/python benchmarks/stats/attack_coverage.py [--studies 2000]

Every study draws host tasks (and goals, with --generalise goals) from a population, gives each cell of the grid its
own chance of success, and plays it some times. The default takes about five minutes on one core.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from trueline.records.layout import Unit
from trueline.stats.attacks.inference import compare_cells, estimate_rate
from trueline.stats.attacks.success import CellCounts
from trueline.stats.options import AnalysisChoices

FloatArray = npt.NDArray[np.float64]
CELL = 0.3
"""How far cells of one host and goal differ, in units of the probit scale."""


def mean_chance(ease: float, spread: float, goals: FloatArray) -> float:
    return float(np.mean(ndtr((ease + goals) / np.sqrt(1 + spread**2))))


def ease_of(rate: float, spread: float, goals: FloatArray) -> float:
    low, high = -8.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_chance(middle, spread, goals) < rate else (low, middle)
    return (low + high) / 2


def cells_of(achieved: npt.NDArray[np.int64], repeats: int) -> list[CellCounts]:
    hosts, goals = achieved.shape
    return [
        CellCounts(Unit("os", f"h{h}", "document", f"g{g}"), repeats, int(achieved[h, g]), 0, 0, 0)
        for h in range(hosts)
        for g in range(goals)
    ]


def row(
    rng: np.random.Generator, *, hosts: int, goals: int, repeats: int, rate: float, spread: float,
    generalise: bool, studies: int,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Coverage of the rate and of the difference (nothing changed), size of the test, mean width of the rate's."""
    options = AnalysisChoices(generalise_goals=generalise)
    fixed = np.linspace(-0.6, 0.6, goals)
    between = 0.5 if generalise else 0.0
    levels = np.zeros(1) if generalise else fixed
    total = float(np.sqrt(spread**2 + between**2 + CELL**2))
    ease = ease_of(rate, total, levels)
    held = held_change = rejected = 0
    width = 0.0
    for _ in range(studies):
        host = rng.normal(0, spread, (hosts, 1))
        goal = rng.normal(0, between, (1, goals)) if generalise else fixed
        chance = ndtr(ease + host + goal + rng.normal(0, CELL, (hosts, goals)))
        base, new = (cells_of(rng.binomial(repeats, chance), repeats) for _ in range(2))
        interval = estimate_rate(base, options).interval
        difference, test = compare_cells(base, new, options)
        assert interval is not None and difference.interval is not None and test is not None
        held += interval.low <= rate <= interval.high
        held_change += difference.interval.low <= 0 <= difference.interval.high
        rejected += test.p < 0.05
        width += interval.high - interval.low
    return held / studies, held_change / studies, rejected / studies, width / studies


def table(title: str, *, generalise: bool, studies: int, grid: list[tuple[int, int, int]]) -> None:
    print(f"\n### {title}\n")
    print("| hosts x goals x repeats | rate | hosts differ by | rate holds | difference holds | test rejects | width |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for number, (hosts, goals, repeats) in enumerate(grid):
        for place, rate in enumerate((0.02, 0.05, 0.1, 0.3, 0.6)):
            for spread in (0.3, 1.0):
                held, change, rejected, width = row(
                    np.random.default_rng([number, place, int(10 * spread), generalise]),
                    hosts=hosts, goals=goals, repeats=repeats, rate=rate, spread=spread,
                    generalise=generalise, studies=studies,
                )  # fmt: skip
                print(
                    f"| {hosts} x {goals} x {repeats} | {rate:g} | {spread:g} "
                    f"| {held:.1%} | {change:.1%} | {rejected:.1%} | {width:.3f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000, help="simulated studies per row (2000)")
    options = parser.parse_args()
    error = np.sqrt(0.05 * 0.95 / options.studies)
    print(f"95 % intervals, {options.studies} simulated studies per row (standard error {error:.2%}).")
    small = [(6, 3, 1), (6, 6, 3), (10, 3, 1), (10, 6, 3), (19, 3, 1), (19, 6, 3)]
    table("Hosts are the sample", generalise=False, studies=options.studies, grid=[*small, (40, 6, 3)])
    wide = [(6, 6, 3), (10, 6, 3), (20, 6, 3), (20, 12, 3)]
    table("Hosts and goals are samples", generalise=True, studies=options.studies, grid=wide)


if __name__ == "__main__":
    main()
