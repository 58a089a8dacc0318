"""What bash runs is among what the reader finds, or the line is not wholly known."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "guard" / "shell_reader"


@pytest.fixture(scope="module")
def fuzz() -> Iterator[ModuleType]:
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("against_bash")
    sys.path.remove(str(FOLDER))


@pytest.mark.parametrize("count", [120, pytest.param(600, marks=pytest.mark.full)])
def test_nothing_is_missed(machine: None, fuzz: ModuleType, runner: asyncio.Runner, count: int) -> None:
    lines = [*map(fuzz.make_line, range(count)), *map(fuzz.make_broken_line, range(count // 2))]

    async def run() -> list[list[list[str]]]:
        async with LocalDesktop(LocalOptions(width=800, height=600)) as desktop:
            return await fuzz.run_lines(desktop, lines)

    ran = runner.run(run())
    for typed in (False, True):
        outcomes = [fuzz.outcome(line, runs, typed=typed) for line, runs in zip(lines, ran, strict=True)]
        assert [found for found in outcomes if found.missed] == []
        assert sum(bool(found.ran) for found in outcomes) > 0.7 * len(lines)
        assert sum(not found.not_understood for found in outcomes[:count]) > 0.5 * count
