"""The home folder every desktop starts with, prepared once per machine and per version of what is installed."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from trueline.desktop.local.install import install
from trueline.desktop.local.ownership import Owner
from trueline.desktop.local.system_files import system_files
from trueline.desktop.local.thunderbird import thunderbird_files

FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")
_SESSION_FOLDERS = (".config/xfce4/desktop",)
"""Made by the session as soon as it needs them: there from the start, they are not change."""
_KEEP = ".keep"
PROGRAMS = (
    "Xvfb", "openbox", "xfdesktop", "xfce4-panel", "xfsettingsd", "thunar", "mousepad", "xfce4-terminal", "chromium",
    "soffice", "gimp", "thunderbird", "vlc", "evince", "gedit", "geany",
)  # fmt: skip
"""Another version of one of these is another template."""


def template_files() -> dict[str, bytes]:
    """The settings that make a desktop ready at once and keep it still: no first-run dialogs, blinking, animations."""

    def walk(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
        for entry in folder.iterdir():
            name = "." + entry.name.removeprefix("dot_") if entry.name.startswith("dot_") else entry.name
            if entry.is_dir():
                yield from walk(entry, f"{path}{name}/")
            else:
                yield f"{path}{name}", entry.read_bytes()

    return dict(walk(resources.files("trueline.desktop.local") / "template_home", ""))


def machine_version(programs: tuple[str, ...] = PROGRAMS) -> str:
    """A digest of which programs are installed and which files they are."""
    seen = hashlib.sha256()
    for name in programs:
        path = shutil.which(name, path="/usr/bin")
        if path is not None:
            found = os.stat(path)
            seen.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def install_template(cache: Path, owner: Owner) -> Path:
    """Write the bare template unless it is there; return its folder."""
    kept = {f"{name}/{_KEEP}": b"" for name in (*FOLDERS, *_SESSION_FOLDERS)}
    files = {**template_files(), **system_files(), **thunderbird_files(), **kept}
    return install(cache, "home", files, owner, machine_version())
