"""What watching needs besides the desktop."""

from __future__ import annotations

import shutil
from pathlib import Path

from trueline.desktop.local.checks import SEARCH_PATH, install_line
from trueline.desktop.types import DesktopUnavailable

NOVNC = Path("/usr/share/novnc")
"""Where Debian's noVNC lies."""
PROGRAMS = ("x11vnc", "websockify")
"""Each is in the Debian package of its name."""


def check_packages(path: str = SEARCH_PATH, novnc: Path = NOVNC) -> None:
    """Look for everything.

    Raises:
        DesktopUnavailable: Something is missing; the message has the command that fixes it.
    """
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if not (novnc / "vnc.html").is_file():
        missing.append("novnc")
    if missing:
        raise DesktopUnavailable(f"watching needs {', '.join(missing)}: {install_line(missing)}")
