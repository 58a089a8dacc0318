"""A workspace with a real desktop, shared by the tests of a module."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.tasks.downloads import Downloads
from trueline.tasks.workspace import Workspace

T = TypeVar("T")
SIZE = (1024, 768)


class Do(Protocol):
    """Runs something asynchronous on the event loop the desktop lives on."""

    def __call__(self, work: Coroutine[object, object, T], /) -> T: ...


@pytest.fixture(scope="module")
def do(runner: asyncio.Runner) -> Do:
    """Runs a coroutine in the event loop of the module."""
    return runner.run


@pytest.fixture(scope="module")
def shared_desktop(machine: None, do: Do) -> Iterator[LocalDesktop]:
    """A desktop that the tests of a module share; they leave no window behind."""
    desktop = LocalDesktop(LocalOptions(width=SIZE[0], height=SIZE[1]))
    do(desktop.start())
    yield desktop
    do(desktop.stop())


@pytest.fixture
def workspace(shared_desktop: LocalDesktop, tmp_path: Path) -> Workspace:
    """That desktop with an empty cache, and the test's own folder for assets."""
    return Workspace(shared_desktop, Downloads(tmp_path / "cache", offline=True), assets=(tmp_path,), screen=SIZE)
