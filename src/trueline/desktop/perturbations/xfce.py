"""A perturbation as files of the home folder and variables of the session: how the local desktop takes it."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from trueline.desktop.perturbations.model import Applied, Edge, Perturbation, digest

_CHANNELS = ".config/xfce4/xfconf/xfce-perchannel-xml"
_GTK = ".config/gtk-3.0/settings.ini"
SETTINGS = (*(f"{_CHANNELS}/{name}.xml" for name in ("xfce4-desktop", "xfce4-panel", "xsettings")), _GTK)
"""The files of the home folder that hold what a set may change."""
WALLPAPER = ".local/share/backgrounds/wallpaper.png"
_DPI = 96
_PANEL: Mapping[Edge, tuple[str, int]] = {
    "top": ("p=6;x=0;y=0", 0),
    "bottom": ("p=8;x=0;y=0", 0),
    "left": ("p=5;x=0;y=0", 1),
    "right": ("p=1;x=0;y=0", 1),
}
"""The place the panel snaps to, and whether it stands upright."""


def perturbation_environment(perturbation: Perturbation | None) -> dict[str, str]:
    """What programs that know no settings daemon find in their environment."""
    found: dict[str, str] = {}
    if perturbation is not None and perturbation.cursor_size is not None:
        found["XCURSOR_SIZE"] = str(perturbation.cursor_size)
    if perturbation is not None and perturbation.language is not None:
        # Messages alone: a locale of that name need not be installed.
        found["LANGUAGE"] = perturbation.language
    return found


def home_files(
    perturbation: Perturbation, settings: Mapping[str, bytes], picture: bytes | None, home: str
) -> dict[str, bytes]:
    """The files of the home folder that the set changes, by their path there; `settings` are those of `SETTINGS`."""
    files = {} if picture is None else {WALLPAPER: picture}
    for channel, values in _properties(perturbation, f"{home}/{WALLPAPER}" if picture is not None else None).items():
        path = f"{_CHANNELS}/{channel}.xml"
        files[path] = with_properties(settings[path], values)
    if perturbation.colours is not None:
        dark = int(perturbation.colours == "dark")
        files[_GTK] = settings[_GTK].rstrip() + f"\ngtk-application-prefer-dark-theme={dark}\n".encode()
    return files


def _properties(perturbation: Perturbation, wallpaper: str | None) -> dict[str, dict[str, str | int]]:
    """Xfce's properties that the set changes, by channel."""
    found: dict[str, dict[str, str | int]] = {}
    if wallpaper is not None:
        found["xfce4-desktop"] = {"backdrop/screen0/monitorscreen/workspace0/last-image": wallpaper}
    if perturbation.panel is not None:
        place, upright = _PANEL[perturbation.panel]
        found["xfce4-panel"] = {"panels/panel-1/position": place, "panels/panel-1/mode": upright}
    appearance: dict[str, str | int] = {}
    if perturbation.cursor_size is not None:
        appearance["Gtk/CursorThemeSize"] = perturbation.cursor_size
    if perturbation.icons is not None:
        appearance["Net/IconThemeName"] = perturbation.icons
    if perturbation.scale is not None:
        appearance["Xft/DPI"] = round(_DPI * perturbation.scale)
    return {**found, "xsettings": appearance} if appearance else found


def with_properties(channel: bytes, values: Mapping[str, str | int]) -> bytes:
    """Xfce's settings of one channel with these properties set; those on the way to them are made."""
    root = ElementTree.fromstring(channel)  # noqa: S314 - a file of ours
    for path, value in values.items():
        place = root
        for name in path.split("/"):
            found = next((child for child in place.iterfind("property") if child.get("name") == name), None)
            place = found if found is not None else ElementTree.SubElement(place, "property", name=name, type="empty")
        kind = place.get("type", "empty")
        if kind == "empty":
            kind = "string" if isinstance(value, str) else "int"
        place.set("type", kind)
        place.set("value", str(value))
    return ElementTree.tostring(root, "UTF-8", xml_declaration=True)


def applied(perturbation: Perturbation, picture: bytes | None) -> Applied:
    """The record of a set on the local desktop."""
    settings = perturbation.settings()
    settings.pop("gnome_icons", None)
    return Applied(
        name=perturbation.name,
        version=perturbation.version,
        digest=digest(perturbation, picture),
        platform="local",
        settings=settings,
    )
