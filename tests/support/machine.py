"""Whether this machine can run local desktops."""

from __future__ import annotations

import os

import pytest

from trueline.desktop.local.checks import check_all


def need_machine() -> None:
    """Skip where there can be no desktop; on CI that is a failure."""
    lacks = [f"{check.name}: {check.detail}" for check in check_all() if check.needed and not check.ok]
    if lacks:
        if os.environ.get("CI"):
            pytest.fail(f"CI must be able to run desktops; missing {lacks}")
        pytest.skip(f"no local desktop here ({'; '.join(lacks)})")
