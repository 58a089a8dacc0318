"""A real desktop for the tests: one per module, a fresh one where a test breaks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import TypeVar

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.options import ResourceLimits

T = TypeVar("T")
Do = Callable[[Coroutine[object, object, T]], T]

SMALL = LocalOptions(width=1024, height=768)
MIB = 1 << 20
TIGHT = LocalOptions(
    width=800,
    height=600,
    limits=ResourceLimits(
        processes=200, process_memory=256 * MIB, memory=900 * MIB, home=32 * MIB, temporary=16 * MIB, files=2000
    ),
)


@pytest.fixture(scope="module")
def desktop(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    """A desktop that the tests of a module share; they leave it working."""
    desktop = LocalDesktop(SMALL)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


@pytest.fixture
def fresh(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    """A desktop with tight limits that a test may break."""
    desktop = LocalDesktop(TIGHT)
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())
