"""Small programs under the names tasks use: Debian's applications, `sudo` and `crontab`."""

from __future__ import annotations

from collections.abc import Mapping

from trueline.desktop.local.identity import HOME

_CHROMIUM = (
    "/usr/bin/chromium --no-sandbox --test-type --no-first-run --no-default-browser-check --password-store=basic "
    "--disable-background-networking --disable-component-update --disable-sync --force-renderer-accessibility "
    f'--user-data-dir={HOME}/.config/chromium "$@"'
)

APPLICATIONS: Mapping[str, tuple[str, ...]] = {
    "google-chrome": (_CHROMIUM,),
    "google-chrome-stable": (_CHROMIUM,),
    "chromium-browser": (_CHROMIUM,),
    "chromium": (_CHROMIUM,),
    "gnome-terminal": ('xfce4-terminal "$@"',),
    "x-terminal-emulator": ('xfce4-terminal "$@"',),
    "nautilus": ('thunar "$@"',),
    "gedit": ('/usr/bin/gedit "$@"', 'mousepad "$@"'),
    "gnome-text-editor": ('mousepad "$@"',),
    "libreoffice": ('/usr/bin/soffice --norestore --nologo "$@"',),
    "soffice": ('/usr/bin/soffice --norestore --nologo "$@"',),
    "localc": ('/usr/bin/soffice --norestore --nologo --calc "$@"',),
    "lowriter": ('/usr/bin/soffice --norestore --nologo --writer "$@"',),
    "loimpress": ('/usr/bin/soffice --norestore --nologo --impress "$@"',),
    "code": ('/usr/bin/code "$@"', 'geany "$@"', 'mousepad "$@"'),
    "gnome-control-center": ('xfce4-settings-manager "$@"',),
    "gnome-system-monitor": ('xfce4-terminal -e top "$@"',),
    "eog": ('/usr/bin/eog "$@"', 'ristretto "$@"'),
}
"""Command lines to try for a name, the first whose program is there is taken."""


def launcher(name: str, commands: tuple[str, ...]) -> str:
    """The shell script behind a name; without any of its programs it ends like a shell that finds no command."""
    tries = "".join(f"command -v {command.split()[0]} >/dev/null && exec {command}\n" for command in commands)
    return f"#!/bin/sh\n{tries}echo '{name}: command not found' >&2\nexit 127\n"


CRONTAB = """#!/bin/sh
# The crontab of the desktop's user: kept in the home folder, nothing runs it.
file="$HOME/.config/crontab"
mkdir -p "$HOME/.config"
case "${1:-}" in
  -l) [ -f "$file" ] || { echo "no crontab for user" >&2; exit 1; }; exec cat "$file" ;;
  -r) [ -f "$file" ] || { echo "no crontab for user" >&2; exit 1; }; exec rm "$file" ;;
  -e) touch "$file"; exec "${VISUAL:-${EDITOR:-nano}}" "$file" ;;
  -|"") exec cat >"$file" ;;
  -*) echo "crontab: usage: crontab [-l | -e | -r | file | -]" >&2; exit 1 ;;
  *) exec cp -- "$1" "$file" ;;
esac
"""


def launchers() -> dict[str, str]:
    """All launchers by name; `sudo` is a program of its own."""
    return {**{name: launcher(name, commands) for name, commands in APPLICATIONS.items()}, "crontab": CRONTAB}
