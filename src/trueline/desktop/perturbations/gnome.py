"""A perturbation on a remote GNOME machine (OSWorld's), by the commands one would type there."""

from __future__ import annotations

import shlex

from trueline.desktop.perturbations.model import Applied, Perturbation
from trueline.desktop.perturbations.sets import digest_of, wallpaper
from trueline.desktop.types import Desktop, DesktopError

REMOTE_WALLPAPER = "/tmp/trueline-wallpaper.png"  # noqa: S108 - of the remote machine
LEFT_OUT = ("language",)
"""GNOME takes these only at the next login."""
_COMMAND_LIMIT = 30.0


def gnome_commands(
    perturbation: Perturbation, *, wallpaper: str = REMOTE_WALLPAPER, sudo_password: str | None = None
) -> tuple[tuple[str, ...], ...]:
    """The command lines that apply a set, in order; each is a program and its arguments.

    Args:
        perturbation: The set.
        wallpaper: Where its picture was put on that machine.
        sudo_password: For the time zone, which only root may set; without it the plain command is tried.
    """
    commands: list[tuple[str, ...]] = []

    def gsettings(schema: str, key: str, value: str) -> None:
        commands.append(("gsettings", "set", schema, key, value))

    interface = "org.gnome.desktop.interface"
    if perturbation.wallpaper is not None:
        for key in ("picture-uri", "picture-uri-dark"):
            gsettings("org.gnome.desktop.background", key, f"file://{wallpaper}")
    if perturbation.cursor_size is not None:
        gsettings(interface, "cursor-size", str(perturbation.cursor_size))
    if perturbation.panel is not None:
        gsettings("org.gnome.shell.extensions.dash-to-dock", "dock-position", perturbation.panel.upper())
    icons = perturbation.gnome_icons or perturbation.icons
    if icons is not None:
        gsettings(interface, "icon-theme", icons)
    if perturbation.scale is not None:
        gsettings(interface, "text-scaling-factor", f"{perturbation.scale:g}")
    if perturbation.colours is not None:
        dark = perturbation.colours == "dark"
        gsettings(interface, "color-scheme", "prefer-dark" if dark else "default")
        gsettings(interface, "gtk-theme", "Adwaita-dark" if dark else "Adwaita")
    if perturbation.timezone is not None:
        commands.append(_timezone(perturbation.timezone, sudo_password))
    return tuple(commands)


def _timezone(zone: str, sudo_password: str | None) -> tuple[str, ...]:
    command = ("timedatectl", "set-timezone", zone)
    if sudo_password is None:
        return command
    return ("bash", "-c", f"printf '%s\\n' {shlex.quote(sudo_password)} | sudo -S -p '' {shlex.join(command)}")


async def apply_gnome(desktop: Desktop, perturbation: Perturbation, *, sudo_password: str | None = None) -> Applied:
    """Apply a set to a GNOME machine and return the record of it.

    Raises:
        DesktopError: A command failed there; the machine may be left between the two looks.
    """
    picture = wallpaper(perturbation)
    if picture is not None:
        await desktop.put(REMOTE_WALLPAPER, picture)
    for argv in gnome_commands(perturbation, sudo_password=sudo_password):
        done = await desktop.run(argv, time_limit=_COMMAND_LIMIT)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            what = argv[3] if argv[0] == "gsettings" else "the time zone"
            raise DesktopError(
                f"perturbation {perturbation.name}: {what} could not be set: {said[-1] if said else done.returncode}"
            )
    return gnome_applied(perturbation)


def gnome_applied(perturbation: Perturbation) -> Applied:
    """The record of a set on a GNOME machine."""
    settings = perturbation.settings()
    icons = settings.pop("gnome_icons", None)
    if icons is not None:
        settings["icons"] = icons
    return Applied(
        name=perturbation.name,
        version=perturbation.version,
        digest=digest_of(perturbation),
        platform="gnome",
        settings={name: value for name, value in settings.items() if name not in LEFT_OUT},
        left_out=tuple(name for name in LEFT_OUT if name in settings),
    )
