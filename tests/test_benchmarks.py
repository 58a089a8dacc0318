"""Every program in benchmarks/ says what it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = [
    path
    for path in sorted((Path(__file__).parents[1] / "benchmarks").rglob("*.py"))
    if '__name__ == "__main__"' in path.read_text()
]


def test_they_are_found() -> None:
    assert PROGRAMS


@pytest.mark.full
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_a_program_answers_help(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path), "--help"], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")
