"""Small programs under the names tasks use: Debian's applications, and what they could not do as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

PYTHON_MODULES = "/usr/local/lib/trueline/python"
"""Where Python programs of the desktop find modules of ours."""


@dataclass(frozen=True)
class Alias:
    """Another name for a program."""

    package: str
    """The package of the first program, named when it is not installed."""
    commands: tuple[str, ...]
    """Command lines to try: the first whose program is there is taken, the caller's arguments follow."""
    variable: str = ""
    """What is set for it: `NAME=value`."""


def _office(*flags: str) -> Alias:
    return Alias("libreoffice-calc", (" ".join(("/usr/bin/soffice --norestore --nologo", *flags)),))


ALIASES: Mapping[str, Alias] = {
    "gedit": Alias("gedit", ("/usr/bin/gedit", "mousepad")),
    "gnome-text-editor": Alias("gedit", ("/usr/bin/gedit", "mousepad")),
    "libreoffice": _office(),
    "soffice": _office(),
    "localc": _office("--calc"),
    "lowriter": _office("--writer"),
    "loimpress": _office("--impress"),
    "gnome-control-center": Alias("xfce4-settings", ("xfce4-settings-manager",)),
    "gnome-system-monitor": Alias("xfce4-terminal", ("xfce4-terminal --title=Processes --command=top",)),
    "x-terminal-emulator": Alias("xfce4-terminal", ("xfce4-terminal.wrapper", "xfce4-terminal")),
    # Both find pyautogui, which tasks and agents expect.
    "python": Alias("python3", ("/usr/bin/python3",), f"PYTHONPATH={PYTHON_MODULES}"),
    "python3": Alias("python3", ("/usr/bin/python3",), f"PYTHONPATH={PYTHON_MODULES}"),
    # Otherwise Thunderbird makes an empty folder of its name in the home folder at every start.
    "thunderbird": Alias("thunderbird", ("/usr/bin/thunderbird",), "MOZ_LEGACY_HOME=1"),
    # Not there on Debian, or not in the set: no other program passes for them.
    "eog": Alias("eog", ("/usr/bin/eog", "ristretto")),
    "gimp": Alias("gimp", ("/usr/bin/gimp",)),
    "vlc": Alias("vlc", ("/usr/bin/vlc",)),
    "evince": Alias("evince", ("/usr/bin/evince",)),
}

SCRIPTS: Mapping[str, str] = {
    "chromium": "chromium.sh",
    "chromium-browser": "chromium.sh",
    "google-chrome": "chromium.sh",
    "google-chrome-stable": "chromium.sh",
    "gnome-terminal": "gnome-terminal.sh",
    "nautilus": "nautilus.sh",
    "crontab": "crontab.sh",
    "gnome-disks": "gnome-disks.py",
    "code": "code.py",
    "killall": "kill-by-name.sh",
    "pkill": "kill-by-name.sh",
    "socat": "socat.py",
    "sudo": "sudo.py",
}
"""Names that need more than another name, and the programs behind them."""


_SYSTEMD = (
    "systemctl", "hostnamectl", "localectl", "loginctl", "journalctl", "reboot", "shutdown", "poweroff", "halt",
)  # fmt: skip
ROOT_SCRIPTS: Mapping[str, str] = {
    **dict.fromkeys(("sudo", "su", "passwd", "chsh", "chfn", "gpasswd", "newgrp"), "sudo.py"),
    **dict.fromkeys(_SYSTEMD, "no-systemd.sh"),
    "timedatectl": "timedatectl.sh",
}
"""Programs of desktops with root, instead of others of the same name."""


def alias_script(name: str, alias: Alias) -> str:
    """The shell script behind a name; without any of its programs it says so and ends as a shell would."""
    tries = "".join(
        f'command -v {command.split()[0]} >/dev/null && exec {command} "$@"\n' for command in alias.commands
    )
    lack = f"{name}: not installed on this desktop (Debian package {alias.package})"
    export = f"export {alias.variable}\n" if alias.variable else ""
    return f"#!/bin/sh\n{export}{tries}echo '{lack}' >&2\nexit 127\n"


def launchers() -> dict[str, bytes]:
    """All launchers by name."""
    source = resources.files("trueline.desktop.local.programs") / "launchers"
    made = {name: alias_script(name, alias).encode() for name, alias in ALIASES.items()}
    return made | {name: (source / file).read_bytes() for name, file in SCRIPTS.items()}


def root_launchers() -> dict[str, bytes]:
    """Return the launchers of desktops with root, by name."""
    source = resources.files("trueline.desktop.local.programs") / "root" / "bin"
    return {name: (source / file).read_bytes() for name, file in ROOT_SCRIPTS.items()}
