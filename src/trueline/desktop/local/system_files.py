"""Files of the template that are made of the machine's own: what Debian ships, with a few words changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

_MAXIMISED = (("Chromium", "browser"), ("libreoffice*", ""), ("thunderbird*", "3pane"))
"""Class and role of main windows that fill the screen: nobody works in them otherwise."""
WINDOWS = Path("etc/xdg/openbox/rc.xml")
MIXER = Path("usr/share/applications/pavucontrol.desktop")
DISKS = Path("usr/share/applications/org.gnome.DiskUtility.desktop")
BROWSER = Path("usr/share/applications/chromium.desktop")


def system_files(root: Path = Path("/")) -> dict[str, bytes]:
    """The window manager's settings, and menu entries, by path in the home folder, as far as there are any."""
    made = {
        ".config/openbox/rc.xml": _changed(root / WINDOWS, window_settings),
        ".local/share/applications/chromium.desktop": _changed(root / BROWSER, browser_entry),
        ".local/share/applications/pavucontrol.desktop": _changed(root / MIXER, mixer_entry),
        ".local/share/applications/org.gnome.DiskUtility.desktop": _changed(root / DISKS, disks_entry),
    }
    return {path: content.encode() for path, content in made.items() if content is not None}


def _changed(path: Path, change: Callable[[str], str]) -> str | None:
    try:
        return change(path.read_text("utf-8"))
    except OSError:
        return None


def window_settings(text: str) -> str:
    """One workspace, readable titles, main windows of large applications maximised."""
    rules = "".join(
        f'  <application class="{class_}"{f" role={chr(34)}{role}{chr(34)}" if role else ""} type="normal">'
        "<maximized>yes</maximized></application>\n"
        for class_, role in _MAXIMISED
    )
    text = text.replace("</applications>", f"{rules}</applications>")
    text = text.replace("<number>4</number>", "<number>1</number>")
    return re.sub(r"(<font place=\"(?:In)?[aA]ctiveWindow\">\s*<name>sans</name>\s*<size>)8<", r"\g<1>10<", text)


def browser_entry(text: str) -> str:
    """The entry starts our launcher: without its flags the browser does not run here."""
    return text.replace("Exec=/usr/bin/chromium", "Exec=/usr/local/bin/chromium")


def disks_entry(text: str) -> str:
    """The entry starts our launcher: only with it there is a disk to be seen."""
    return text.replace("Exec=gnome-disks", "Exec=/usr/local/bin/gnome-disks").replace("DBusActivatable=true\n", "")


def mixer_entry(text: str) -> str:
    """The entry is also shown among the desktop's settings, where people look for the volume."""
    return re.sub(r"(?m)^Categories=.*$", "Categories=AudioVideo;Audio;Mixer;GTK;Settings;X-XFCE-SettingsDialog;", text)
