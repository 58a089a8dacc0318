"""Fixtures that all packages share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.machine import need_machine

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real task files beside the project; absent outside CI they are a reason to skip."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no shared data at {SHARED_DATA}: CI must have it")
        pytest.skip("needs ../shared/data beside the project")
    return SHARED_DATA


@pytest.fixture(scope="session")
def machine() -> None:
    """Skip where there can be no local desktop; on CI that is a failure."""
    need_machine()


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for a module, so that a desktop or a server can live over several tests."""
    with asyncio.Runner() as runner:
        yield runner
