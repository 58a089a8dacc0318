"""A machine that lacks something: one line says what, in bounded time."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions

PROGRAM = """
import asyncio
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import DesktopUnavailable
try:
    asyncio.run(LocalDesktop().start())
except DesktopUnavailable as error:
    print(error)
"""
# A user namespace of its own for one who is not root: mounts in it are nobody else's.
AS_USER = () if os.geteuid() == 0 else ("--user", "--map-user=1234", "--map-group=1234", "--keep-caps")


def refused(change: str, tmp_path: Path) -> str:
    """Try to start a desktop on this machine as it is after a change that only the try sees; return what it says."""
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", *AS_USER, "sh", "-c", f'{change} && exec "$@"', "sh",
         sys.executable, "-c", PROGRAM],
        env={**os.environ, "PLACE": str(tmp_path)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1, done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("program", "package"),
    [
        ("bwrap", "bubblewrap"),
        pytest.param("Xvfb", "xvfb", marks=pytest.mark.full),
        pytest.param("dbus-daemon", "dbus", marks=pytest.mark.full),
        pytest.param("xfdesktop", "xfdesktop4", marks=pytest.mark.full),
    ],
)
def test_a_missing_program_names_its_package(machine: None, tmp_path: Path, program: str, package: str) -> None:
    said = refused(f"mount --bind /dev/null /usr/bin/{program}", tmp_path)
    assert f"missing: {program}" in said and f" {package}" in said


def test_a_full_disk_is_said(machine: None, tmp_path: Path) -> None:
    full = "mount -t tmpfs -o size=64k,mode=755 full $PLACE && export TRUELINE_CACHE_DIR=$PLACE/cache"
    said = refused(full, tmp_path)
    assert "No space left" in said and "TRUELINE_CACHE_DIR" in said


def test_a_display_number_that_is_taken_harms_nobody(machine: None, runner: asyncio.Runner) -> None:
    async def work() -> tuple[str, int]:
        async with LocalDesktop(LocalOptions(width=640, height=480)) as desktop, desktop.display() as display:
            return display, len(await desktop.windows())

    with socket.socket(socket.AF_UNIX) as zero, socket.socket(socket.AF_UNIX) as sixty:
        for sock, number in ((zero, 0), (sixty, 60)):
            try:
                sock.bind(f"\0/tmp/.X11-unix/X{number}")
                sock.listen()
            except OSError:
                pass  # another program has it, which does as well
        display, windows = runner.run(work())
    assert display != ":60" and windows >= 2
