"""Write scores as result folders in the seeds' layout: for the demo, for tests and for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trueline.records.layout import Unit
from trueline.records.scan import RESULT_FILE, Condition


def write_runs(
    root: Path, condition: Condition, units: Sequence[Unit], scores: NDArray[np.float64 | np.int_ | np.bool_]
) -> list[Path]:
    """Write `run1`, `run2` … below a folder, one per column of scores; a NaN leaves no folder."""
    runs: list[Path] = []
    for column in range(scores.shape[1]):
        run = root / f"run{column + 1}"
        model = run.joinpath(*condition)
        for unit, score in zip(units, scores[:, column].tolist(), strict=True):
            if score == score:
                folder = model / str(unit)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / RESULT_FILE).write_text(f"{float(score)}\n")
        runs.append(run)
    return runs
