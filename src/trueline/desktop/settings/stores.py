"""Where the desktop and its applications keep their settings, and how two versions of such a file differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from trueline.desktop.settings.formats import (
    read_json,
    read_key_file,
    read_lines,
    read_preferences,
    read_registry,
    read_xfconf,
)
from trueline.desktop.settings.gvdb import read_gvdb
from trueline.records.ledger import SettingChange
from trueline.text import printable

_LONGEST = 200


@dataclass(frozen=True)
class SettingsStore:
    """Settings of one application, or of the desktop."""

    name: str
    files: tuple[str, ...]
    """Patterns for paths below the home folder."""
    read: Callable[[bytes], dict[str, str]]
    """Raises ValueError for a file that it does not understand."""
    by_file: bool = False
    """Whether keys of several files may be equal, so that the file's name stands in front."""


STORES = (
    SettingsStore("dconf", (".config/dconf/user",), read_gvdb),
    SettingsStore("gsettings", (".config/glib-2.0/settings/keyfile",), read_key_file),
    SettingsStore("xfconf", (".config/xfce4/xfconf/xfce-perchannel-xml/*.xml",), read_xfconf),
    SettingsStore(
        "chromium",
        (
            ".config/google-chrome/Local State",
            ".config/google-chrome/*/Preferences",
            ".config/google-chrome/*/Secure Preferences",
        ),
        read_json,
    ),
    SettingsStore("thunderbird", (".thunderbird/*/prefs.js",), read_preferences),
    SettingsStore("firefox", (".mozilla/firefox/*/prefs.js",), read_preferences),
    SettingsStore("libreoffice", (".config/libreoffice/*/user/registrymodifications.xcu",), read_registry),
    SettingsStore("code", (".config/Code/User/settings.json",), read_json),
    SettingsStore("mime", (".config/mimeapps.list", ".local/share/applications/mimeapps.list"), read_key_file),
    SettingsStore("gtk", (".config/gtk-3.0/settings.ini", ".config/gtk-4.0/settings.ini"), read_key_file, True),
    SettingsStore("user-dirs", (".config/user-dirs.dirs",), read_key_file),
    SettingsStore("terminal", (".config/xfce4/terminal/terminalrc",), read_key_file),
    SettingsStore("vlc", (".config/vlc/vlcrc", ".config/vlc/vlc-qt-interface.conf"), read_key_file, True),
    SettingsStore("geany", (".config/geany/geany.conf",), read_key_file),
    SettingsStore("git", (".gitconfig", ".config/git/config"), read_key_file),
    SettingsStore("crontab", (".config/crontab",), read_lines),
)

_OWN = frozenset({("xfconf", "xfce4-notifyd/applications/known_applications")})
"""What the desktop notes for itself, some time after the fact: who has sent a notification."""
PATTERNS = tuple(pattern for store in STORES for pattern in store.files)


def store_of(path: str) -> SettingsStore | None:
    """The store that keeps its settings in a file; `None` if it is not a settings file."""
    return next((store for store in STORES if any(fnmatchcase(path, each) for each in store.files)), None)


def setting_changes(path: str, before: bytes, now: bytes) -> tuple[SettingChange, ...] | None:
    """The keys that differ between two versions of a settings file; `None` if it is none, or not understood."""
    store = store_of(path)
    if store is None:
        return None
    try:
        old, new = (store.read(content) if content else {} for content in (before, now))
    except ValueError:
        return None
    return tuple(_differences(store, PurePosixPath(path).stem, old, new))


def _differences(store: SettingsStore, file: str, old: dict[str, str], new: dict[str, str]) -> Iterator[SettingChange]:
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key) and (store.name, key) not in _OWN:
            value = new.get(key)
            yield SettingChange(
                store=store.name,
                key=printable(f"{file}/{key}" if store.by_file else key, _LONGEST),
                value=None if value is None else printable(value, _LONGEST),
            )
