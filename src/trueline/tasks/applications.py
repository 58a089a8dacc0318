"""The applications that tasks name, and the programs behind them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Application:
    """An application as tasks know it."""

    title: str
    names: frozenset[str]
    """What `related_apps` and commands call it, in lower case."""
    programs: tuple[str, ...]
    """The desktop has it if it has one of these; empty for one that no desktop of ours can have."""
    lacks: str = ""
    """Why none can have it."""


def _application(title: str, names: str, *programs: str, lacks: str = "") -> Application:
    return Application(title, frozenset(names.split()), programs, lacks)


VS_CODE = "Visual Studio Code"
APPLICATIONS = (
    _application("Chromium", "chrome chromium chromium-browser google-chrome google-chrome-stable browser", "chromium"),
    _application("GIMP", "gimp", "gimp"),
    _application("GNOME Disks", "disks gnome-disks", "gnome-disks"),
    _application("GNOME Shell", "gnome-shell gnome-extensions gnome-tweaks", "gnome-shell"),
    _application(
        "LibreOffice",
        "calc impress writer libreoffice libreoffice_calc libreoffice_impress libreoffice_writer localc loimpress "
        "lowriter soffice",
        "soffice",
    ),
    _application("Microsoft Office", "excel powerpoint ppt word", lacks="it does not exist for Linux"),
    _application("MusicBrainz Picard", "picard", "picard"),
    _application("Thunderbird", "thunderbird", "thunderbird"),
    # A substitute would make a different task.
    _application(VS_CODE, "code codium vs_code vscode", "code", "codium"),
    _application("VLC", "ubuntu_media_player vlc", "vlc"),
)
_BY_NAME = {name: application for application in APPLICATIONS for name in application.names}


def application_named(name: str) -> Application | None:
    """The application that a task calls this; `None` if it is none of these: then every desktop has it."""
    return _BY_NAME.get(name.casefold().replace(" ", "_"))
