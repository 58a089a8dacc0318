"""Getters of the browser's profile: its preferences, bookmarks, cookies and history.

Where OSWorld falls back to a fixed value when a file is missing or cannot be read, so do these.
"""

from __future__ import annotations

import json
from typing import cast

from pydantic import JsonValue

from trueline.desktop.types import PathRefused
from trueline.tasks.checkers.protected_files import read_protected_file
from trueline.tasks.checkers.values import DatabaseRows, FileValue
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace

_PROFILE = "~/.config/google-chrome"
"""OSWorld's place; on the local desktop Chromium uses it too."""
_FONT_SIZES: dict[str, JsonValue] = {"default_fixed_font_size": 13, "default_font_size": 16}
_SCHEMES = {"system": "system", "default": "system", "0": "system", "light": "light", "1": "light", "dark": "dark",
            "2": "dark"}  # fmt: skip
_NEW_TAB_PAGE = 5
"""The value of `restore_on_startup` that opens the new tab page."""


async def enable_do_not_track(_: Getter, workspace: Workspace) -> str:
    """Whether pages are asked not to track: `true` or `false`."""
    return _truth(_value(await _preferences(workspace), "enable_do_not_track"))


async def enable_enhanced_safety_browsing(_: Getter, workspace: Workspace) -> str:
    """Whether enhanced protection is on: `true` or `false`."""
    preferences = await _preferences(workspace)
    return "Google" if preferences is None else _truth(_value(preferences, "safebrowsing", "enhanced"))


async def enable_safe_browsing(_: Getter, workspace: Workspace) -> str:
    """Whether standard or enhanced protection is on: `true` or `false`."""
    preferences = await _preferences(workspace)
    return _truth(_value(preferences, "safebrowsing", "enhanced") or _value(preferences, "safebrowsing", "enabled"))


async def new_startup_page(_: Getter, workspace: Workspace) -> str:
    """Whether the browser starts with the new tab page: `true` or `false`."""
    preferences = await _preferences(workspace)
    if preferences is None:
        return "Google"
    return _truth("session" not in preferences or _value(preferences, "session", "restore_on_startup") == _NEW_TAB_PAGE)


async def data_delete_automacally(_: Getter, workspace: Workspace) -> str:
    """Whether there are default settings for contents, such as deleting data at the end: `true` or `false`."""
    preferences = await _preferences(workspace)
    if preferences is None or not isinstance(preferences.get("profile"), dict):
        return "Google"
    return _truth(_value(preferences, "profile", "default_content_setting_values") is not None)


async def default_search_engine(_: Getter, workspace: Workspace) -> JsonValue:
    """The short name of the search engine."""
    path = ("default_search_provider_data", "template_url_data", "short_name")
    return _value(await _preferences(workspace), *path, default="Google")


async def profile_name(_: Getter, workspace: Workspace) -> JsonValue:
    """The name of the profile."""
    return _value(await _preferences(workspace), "profile", "name")


async def chrome_font_size(_: Getter, workspace: Workspace) -> JsonValue:
    """The font sizes."""
    preferences = await _preferences(workspace)
    default: JsonValue = _FONT_SIZES if preferences is None else {**_FONT_SIZES, "minimum_font_size": 13}
    return _value(preferences, "webkit", "webprefs", default=default)


async def chrome_language(_: Getter, workspace: Workspace) -> JsonValue:
    """The language of the browser."""
    return _value(await _load(workspace, "Local State"), "intl", "app_locale", default="en-US")


async def enabled_experiments(_: Getter, workspace: Workspace) -> JsonValue:
    """The experiments that are on."""
    return _value(await _load(workspace, "Local State"), "browser", "enabled_labs_experiments", default=[])


async def chrome_color_scheme(_: Getter, workspace: Workspace) -> str:
    """Light, dark or system colours, as `chrome_appearance_mode_ui`."""
    return colour_scheme(await _preferences(workspace))


async def chrome_appearance_mode_ui(_: Getter, workspace: Workspace) -> str:
    """Light, dark or system colours, from the preferences that the settings page shows."""
    return colour_scheme(await _preferences(workspace))


def colour_scheme(preferences: dict[str, JsonValue] | None) -> str:
    """`light`, `dark` or `system`."""
    flag = _value(preferences, "extensions", "theme", "system_theme")
    if flag in (0, "0", False):
        return "light"
    theme = _value(preferences, "browser", "theme")
    if not isinstance(theme, dict):
        return "system"
    value = theme.get("color_scheme2", theme.get("color_scheme"))
    number = int(value) if isinstance(value, int | float) else value
    return _SCHEMES.get(str(number).strip().lower(), "system")


async def find_unpacked_extension_path(_: Getter, workspace: Workspace) -> JsonValue:
    """The folders of all extensions."""
    return await _of_extensions(workspace, "path")


async def find_installed_extension_name(_: Getter, workspace: Workspace) -> JsonValue:
    """The names of all extensions."""
    return await _of_extensions(workspace, "manifest", "name")


async def _of_extensions(workspace: Workspace, *path: str) -> JsonValue:
    preferences = await _preferences(workspace)
    if preferences is None:
        return "Google"
    settings = _value(preferences, "extensions", "settings", default={})
    listed = list(settings.values()) if isinstance(settings, dict) else []
    # An extension of the browser's own may say nothing of this.
    return [value for extension in listed if (value := _value(extension, *path)) is not None]


async def bookmarks(_: Getter, workspace: Workspace) -> JsonValue:
    """The folders of bookmarks."""
    found = await _load(workspace, "Default/Bookmarks")
    return [] if found is None else _value(found, "roots", default={})


async def cookie_data(_: Getter, workspace: Workspace) -> DatabaseRows | None:
    """The cookies: when each was made, its host and its name."""
    return await _rows(workspace, "Cookies")


async def history(_: Getter, workspace: Workspace) -> DatabaseRows | None:
    """The visited addresses, their titles and times."""
    return await _rows(workspace, "History")


async def _rows(workspace: Workspace, name: str) -> DatabaseRows | None:
    content = await read_file(workspace, f"{_PROFILE}/Default/{name}")
    return None if content is None else DatabaseRows(FileValue(name, content))


async def _preferences(workspace: Workspace) -> dict[str, JsonValue] | None:
    return await _load(workspace, "Default/Preferences")


async def _load(workspace: Workspace, name: str) -> dict[str, JsonValue] | None:
    content = await read_file(workspace, f"{_PROFILE}/{name}")
    try:
        found: object = None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, JsonValue]", found) if isinstance(found, dict) else None


async def read_file(workspace: Workspace, path: str) -> bytes | None:
    """A file of the desktop; `None` if there is none."""
    try:
        return await workspace.desktop.get(path)
    except PathRefused:
        return await read_protected_file(workspace, path)


def _value(holder: JsonValue, *path: str, default: JsonValue = None) -> JsonValue:
    """The value at a path of keys."""
    for key in path:
        if not isinstance(holder, dict) or key not in holder:
            return default
        holder = holder[key]
    return holder


def _truth(value: object) -> str:
    return "true" if value else "false"
