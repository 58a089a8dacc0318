"""The applications by short names: how each is started, which window it shows, and when it is there to be used."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from trueline.desktop.local.checks import APPLICATIONS as EXTRA
from trueline.desktop.local.checks import PACKAGES, SEARCH_PATH, check_vs_code, installed
from trueline.desktop.local.desktop import LocalDesktop
from trueline.desktop.local.process_usage import processor_times, used_between
from trueline.desktop.types import DesktopUnavailable, Settled, Window, WindowShown
from trueline.errors import InputError

OPEN_LIMIT = 60.0
_CALM = 0.15
"""Share of a processor below which an application counts as started."""
_EDITOR = "code"
"""The application that need not be a program of the machine."""
_QUIET = Settled(quiet=0.4)


@dataclass(frozen=True)
class Application:
    """How to start one, and how to know it."""

    argv: tuple[str, ...]
    window: str
    """A part of the class of its windows."""
    program: str
    """The program whose package it comes with."""
    title: str = ""
    """A part of the title that its window has only when it has loaded."""


APPLICATIONS = {
    "calc": Application(("localc",), "libreoffice-calc", "soffice"),
    "chromium": Application(("chromium",), "chromium", "chromium"),
    "code": Application(("code",), "code", "code", "Visual Studio Code"),
    "evince": Application(("evince",), "evince", "evince"),
    "files": Application(("thunar",), "thunar", "thunar"),
    "geany": Application(("geany",), "geany", "geany"),
    "gimp": Application(("gimp",), "gimp", "gimp"),
    "impress": Application(("loimpress",), "libreoffice-impress", "soffice"),
    "mousepad": Application(("mousepad",), "mousepad", "mousepad"),
    "settings": Application(("xfce4-settings-manager",), "xfce4-settings-manager", "xfsettingsd"),
    "terminal": Application(("xfce4-terminal",), "xfce4-terminal", "xfce4-terminal"),
    "thunderbird": Application(("thunderbird",), "thunderbird", "thunderbird"),
    "vlc": Application(("vlc",), "vlc", "vlc"),
    "writer": Application(("lowriter",), "libreoffice-writer", "soffice"),
}

_SUFFIXES = {
    "calc": (".xlsx", ".xls", ".ods", ".csv"),
    "writer": (".docx", ".doc", ".odt", ".rtf"),
    "impress": (".pptx", ".ppt", ".odp"),
    "chromium": (".html", ".htm"),
    "evince": (".pdf",),
    "gimp": (".png", ".jpg", ".jpeg", ".xcf"),
    "vlc": (".mp3", ".mp4", ".mkv", ".webm", ".ogg"),
}


def find_application(name: str) -> Application:
    """The application of a name, if it is installed.

    Raises:
        InputError: There is none of that name; it lists those there are.
        DesktopUnavailable: It is not installed; the message names its package.
    """
    application = APPLICATIONS.get(name)
    if application is None:
        raise InputError(f"unknown application {name!r}; choose one of {', '.join(APPLICATIONS)}")
    if name == _EDITOR:
        if not (check := check_vs_code()).ok:
            raise DesktopUnavailable(f"{name}: {check.detail}; {check.fix}")
        return application
    if not installed(application.program, SEARCH_PATH):
        packages = (PACKAGES | EXTRA)[application.program]
        raise DesktopUnavailable(f"{name} is not installed; sudo apt-get install {packages}")
    return application


def application_for(opened: str) -> str:
    """The name of the application that opens a file or a URL."""
    if is_url(opened):
        return "chromium"
    suffix = Path(opened).suffix.lower()
    return next((name for name, suffixes in _SUFFIXES.items() if suffix in suffixes), "mousepad")


def is_url(text: str) -> bool:
    """Whether this is an address rather than a file."""
    scheme, colon, _ = text.partition(":")
    return bool(colon) and scheme.lower() in ("http", "https", "about", "data", "file", "chrome")


async def open_application(
    desktop: LocalDesktop, application: Application, *arguments: str, time_limit: float = OPEN_LIMIT
) -> Window | None:
    """Start an application and wait until it is usable: window shown, picture settled, start-up done.

    Raises:
        ActionTimeout: No window of it came.
    """
    end = time.monotonic() + time_limit
    await desktop.launch((*application.argv, *arguments))
    shown = WindowShown(application.title, application.window)
    await desktop.wait_for(shown, time_limit=time_limit)
    await rest(desktop, end - time.monotonic())
    # The first window may have been a picture to look at meanwhile, and its title one that was changed.
    return await desktop.wait_for(shown)


async def rest(desktop: LocalDesktop, time_limit: float) -> None:
    """Wait until the screen has settled and all programs are idle, or the time is over.

    A still picture alone may be one of a program that is about to draw the next.
    """
    end, supervisor = time.monotonic() + time_limit, desktop.running.sandbox.supervisor_pid
    while (now := time.monotonic()) < end:
        before = await asyncio.to_thread(processor_times, supervisor)
        settling = await desktop.settle(_QUIET, time_limit=end - now)
        took = used_between(before, await asyncio.to_thread(processor_times, supervisor))
        if settling.settled and took < _CALM * (time.monotonic() - now):
            return
