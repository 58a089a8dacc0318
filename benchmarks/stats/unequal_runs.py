"""How comparisons of unequal numbers of runs behave when nothing changed. Prints a Markdown table.

    .venv/bin/python benchmarks/stats/unequal_runs.py [--studies 2000] [--checkpoint FILE]

Success rates of tasks are drawn from a beta distribution and are the same in both settings, so every rejection, every
interval that misses zero and every rule "better than the base" that passes is an error.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np

from trueline.stats.power.calibration import unequal_runs_calibration
from trueline.stats.power.difficulty import Difficulty
from trueline.stats.power.simulate import StudyPlan

TASKS = (36, 100, 361)
RUNS = ((3, 5), (3, 10), (5, 4))
BETAS = ((1.0, 1.0), (2.0, 6.0), (1.0, 6.0))


@dataclass(frozen=True)
class Cell:
    """One simulated situation."""

    tasks: int
    cluster_size: int
    link: float
    runs: tuple[int, int]
    beta: tuple[float, float]

    def plan(self) -> StudyPlan:
        a, b = self.beta
        difficulty = Difficulty(a / (a + b), 1 / (a + b + 1))
        share = 0.6 if self.cluster_size > 1 else 0.0
        return StudyPlan(
            difficulty, difficulty, self.tasks, self.runs[0], self.link, new_repeats=self.runs[1],
            domain_sizes=(1,), domain_share=0.0, cluster_size=self.cluster_size, cluster_share=share,
        )  # fmt: skip

    @property
    def name(self) -> str:
        what = f"{self.tasks} tasks" + (f" in clusters of {self.cluster_size}" if self.cluster_size > 1 else "")
        moved = "" if self.link == 1 else ", tasks move"
        return f"{what}{moved} | {self.runs[0]} v {self.runs[1]} | Beta({self.beta[0]:g}, {self.beta[1]:g})"


def cells(tasks: tuple[int, ...], *, clusters: bool, moved: bool) -> list[Cell]:
    """All cells in the order of the table."""
    found = [Cell(n, 1, 1.0, runs, beta) for n, runs, beta in product(tasks, RUNS, BETAS)]
    if moved:
        found += [Cell(n, 1, 0.0, runs, beta) for n, runs, beta in product(tasks, RUNS, BETAS)]
    if clusters:
        found += [Cell(n, 6, 1.0, runs, beta) for n, runs, beta in product((120, 360), RUNS, BETAS)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000, help="simulated studies per cell (2000)")
    parser.add_argument("--deals", type=int, default=999, help="deals per test; trueline metrics makes 9999 (999)")
    parser.add_argument("--tasks", type=int, nargs="+", default=TASKS, help="numbers of tasks (36 100 361)")
    parser.add_argument("--no-clusters", action="store_true", help="leave out the cells with clusters")
    parser.add_argument("--moved", action="store_true", help="also cells where tasks change but not on average")
    parser.add_argument("--checkpoint", type=Path, help="cells already in this file are not simulated again")
    options = parser.parse_args()
    done: dict[str, dict[str, dict[str, float]]] = {}
    if options.checkpoint is not None and options.checkpoint.exists():
        done = json.loads(options.checkpoint.read_text())
    error = np.sqrt(0.05 * 0.95 / options.studies)
    print(f"{options.studies} simulated studies per cell (standard error {error:.2%} of a share of 5 %).\n")
    print(
        "| tasks | runs | success rates | figure | test rejects at 5 % | 95 % interval covers | "
        "gate passes / fails falsely at 5 % |\n|---|---|---|---|---|---|---|"
    )
    todo = cells(tuple(options.tasks), clusters=not options.no_clusters, moved=options.moved)
    for number, cell in enumerate(todo):
        key = f"{cell.name} | {options.studies} x {options.deals}"
        if key not in done:
            ks = (1, min(cell.runs))
            measured = unequal_runs_calibration(
                cell.plan(), ks, studies=options.studies, seed=1000 * number, deals=options.deals
            )
            done[key] = {
                str(k): {"size": row.size, "held": row.difference.held, "passes": row.gate_passes,
                         "fails": row.gate_fails, **asdict(row.difference)}
                for k, row in measured.items()
            }  # fmt: skip
            if options.checkpoint is not None:
                options.checkpoint.write_text(json.dumps(done))
        for k, row in done[key].items():
            print(
                f"| {cell.name} | Pass^{k} | {row['size']:.1%} | {row['held']:.1%} "
                f"| {row['passes']:.1%} / {row['fails']:.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
