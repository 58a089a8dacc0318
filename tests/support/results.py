"""Small result folders for tests, in the seeds' layout."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CONDITION = "pyautogui/screenshot/some-model"


def write_run(run: Path, scores: Mapping[str, float | str | None], condition: str = CONDITION) -> Path:
    """Write `{domain/task: score}` below a run folder; a string is written as it is, `None` leaves no result."""
    for unit, score in scores.items():
        folder = run / condition / unit
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "traj.jsonl").write_text("")
        if score is not None:
            (folder / "result.txt").write_text(score if isinstance(score, str) else f"{score}\n")
    return run
