"""Fixtures that all rooms share."""

from __future__ import annotations

import os
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
