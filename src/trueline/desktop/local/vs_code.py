"""Visual Studio Code for local desktops: the program of the machine, else its web build in a window of Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

VERSION = "4.139.1"
"""The release of code-server."""
STAMP = ".complete"
"""Written last into a folder that was built, with the version."""
PROGRAMS = ("/usr/bin/code", "/usr/bin/codium")
"""The desktop editors: desktops show no other folder of the machine's programs than /usr."""
BROWSERS = ("/usr/lib/chromium/chromium", "/usr/bin/chromium")


@dataclass(frozen=True)
class VsCode:
    """The editor that `code` starts on a desktop."""

    kind: Literal["program", "web build"]
    path: Path
    """The program, or the folder that the web build was installed in."""


def vs_code_folder(environ: Mapping[str, str] = os.environ, euid: int | None = None) -> Path:
    """The folder of the web build: $TRUELINE_VS_CODE, the user's data folder, or for root one that all can read."""
    if own := environ.get("TRUELINE_VS_CODE"):
        return Path(own).expanduser().absolute()
    if (os.geteuid() if euid is None else euid) == 0:
        return Path("/var/lib/trueline/vs-code")
    shared = Path(environ.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else Path("~/.local/share").expanduser()) / "trueline" / "vs-code"


def is_complete(folder: Path) -> bool:
    """Whether the web build of this version was installed there to the end."""
    try:
        return (folder / STAMP).read_text("ascii") == f"{VERSION}\n"
    except (OSError, UnicodeDecodeError):
        return False


def vs_code_server() -> Path | None:
    """The folder of the web build, which desktops show inside; `None` where a program of the machine takes its place."""
    found = find_vs_code()
    return found.path if found is not None and found.kind == "web build" else None


def find_vs_code() -> VsCode | None:
    """The editor that desktops of this machine have; `None` if tasks with Visual Studio Code cannot run here."""
    for program in PROGRAMS:
        if os.access(program, os.X_OK):
            return VsCode("program", Path(program))
    folder = vs_code_folder()
    if is_complete(folder) and any(shutil.which(browser) for browser in BROWSERS):
        return VsCode("web build", folder)
    return None
