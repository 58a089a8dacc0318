"""A real desktop for episodes, and the parts that play on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.playing import Stage
from trueline.desktop.local import LocalDesktop, LocalOptions, Pool

SMALL = LocalOptions(width=1024, height=768)


@pytest.fixture(scope="module")
def _pool(machine: None, runner: asyncio.Runner) -> Iterator[Pool]:
    pool = Pool(SMALL, 1)
    runner.run(pool.__aenter__())
    yield pool
    runner.run(pool.__aexit__())


@pytest.fixture
def desktop(_pool: Pool, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    """A fresh desktop for each test, started ahead."""
    desktop = LocalDesktop(pool=_pool)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


@pytest.fixture
def stage(runner: asyncio.Runner, desktop: LocalDesktop, tmp_path: Path) -> Stage:
    """A stage with a fresh desktop."""
    return Stage(runner, desktop, tmp_path)
