"""Visual Studio Code for local desktops: the program of the machine, else its web build in a window of Chromium."""

from __future__ import annotations

import os
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
BROWSER = "/usr/lib/chromium/chromium"
"""What shows its windows."""


MENU_ENTRY = """\
[Desktop Entry]
Type=Application
Name=Visual Studio Code
GenericName=Text Editor
Comment=Edit code
Exec=/usr/local/bin/code %F
Icon=accessories-text-editor
Terminal=false
StartupNotify=false
StartupWMClass=Code
Categories=TextEditor;Development;IDE;
Keywords=vscode;
"""


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


def vs_code_files() -> dict[str, bytes]:
    """The editor's entry in menus, by path in the home folder; of a program of the machine it starts our launcher."""
    return {} if find_vs_code() is None else {".local/share/applications/code.desktop": MENU_ENTRY.encode()}


def vs_code_server() -> Path | None:
    """The folder of the web build, which desktops show inside; `None` where a program of the machine is used."""
    found = find_vs_code()
    return found.path if found is not None and found.kind == "web build" else None


def find_vs_code() -> VsCode | None:
    """The editor that desktops of this machine have; `None` if tasks with Visual Studio Code cannot run here."""
    for program in PROGRAMS:
        if os.access(program, os.X_OK):
            return VsCode("program", Path(program))
    folder = vs_code_folder()
    if is_complete(folder) and os.access(BROWSER, os.X_OK) and is_readable(folder):
        return VsCode("web build", folder)
    return None


def is_readable(folder: Path, euid: int | None = None) -> bool:
    """Whether the user that runs desktops reaches a folder: for root it is another one."""
    if (os.geteuid() if euid is None else euid) != 0:
        return True
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (folder, *folder.parents))
