"""Getters of the desktop itself: screen and windows, wallpaper, terminal, starters, paths."""

from __future__ import annotations

import re

from pydantic import JsonValue, TypeAdapter, ValidationError

from trueline.desktop.terminals import terminal_text
from trueline.records import ObservationSpec
from trueline.tasks.checkers.getters.applications import FileFields
from trueline.tasks.checkers.getters.browser_profile import read_file
from trueline.tasks.checkers.values import FileValue, UnreadableResult
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import HOME, Workspace

_LAST_IMAGE = re.compile(r"^/backdrop/\S+/last-image +(\S.*)$", re.MULTILINE)
_GNOME = ("gsettings", "get", "org.gnome.desktop.background", "picture-uri")
_MOST_STARTERS = 200
_STARTERS = """
import json, os, sys
folder = os.path.expanduser("~/Desktop")
names = sorted(os.listdir(folder)) if os.path.isdir(folder) else None
json.dump(names and [name for name in names if name.endswith(".desktop")], sys.stdout)
"""
_NAMES: TypeAdapter[list[str] | None] = TypeAdapter(list[str] | None)


class WindowFields(Part):
    """Fields of `vm_window_size`."""

    app_class_name: Text


class PathFields(Part):
    """Fields of `vm_file_path`, `vm_dir_path` and `vm_file_content`."""

    path: Text
    start_from: str = HOME


async def vm_screen_size(_: Getter, workspace: Workspace) -> JsonValue:
    """Width and height of the screen."""
    seen = await workspace.desktop.observe(ObservationSpec(screenshot=False))
    if seen.screen is None:
        raise CheckerError("the desktop does not say how large its screen is")
    return {"width": seen.screen.width, "height": seen.screen.height}


async def vm_window_size(getter: Getter, workspace: Workspace) -> JsonValue:
    """Width and height of the first window of a class; `None` if there is none."""
    wanted = getter.parse(WindowFields).app_class_name.lower()
    for window in await workspace.desktop.windows():
        if window.app == wanted:
            return {"width": window.width, "height": window.height}
    return None


async def vm_wallpaper(getter: Getter, workspace: Workspace) -> FileValue | None:
    """The picture in the background; `None` if there is none."""
    name = getter.parse(FileFields).dest
    listed = await workspace.desktop.run(("xfconf-query", "-c", "xfce4-desktop", "-l", "-v"))
    found = sorted(_LAST_IMAGE.findall(listed.text))
    if not found:
        said = (await workspace.desktop.run(_GNOME)).text.strip().strip("'")
        found = [said.removeprefix("file://")] if said.startswith("file://") else []
    content = await read_file(workspace, found[0]) if found else None
    return FileValue(name, content) if content else None


async def vm_terminal_output(_: Getter, workspace: Workspace) -> str | None:
    """The text of the terminal that has the keyboard; `None` if there is none."""
    seen = await workspace.desktop.observe(ObservationSpec(screenshot=False, tree=True))
    return None if seen.tree is None else terminal_text(seen.tree.root)


async def shortcuts_on_desktop(_: Getter, workspace: Workspace) -> JsonValue:
    """The starters on the desktop, by file name; `None` if there is no such folder."""
    done = await workspace.desktop.run(("python3", "-I", "-c", _STARTERS))
    try:
        names = _NAMES.validate_json(done.stdout)
    except ValidationError as error:
        raise CheckerError("the starters on the desktop cannot be listed") from error
    if names is None:
        return None
    if len(names) > _MOST_STARTERS:
        raise UnreadableResult(f"there are more than {_MOST_STARTERS} starters on the desktop")
    found: dict[str, JsonValue] = {}
    for name in names:
        content = await read_file(workspace, f"{HOME}/Desktop/{name}")
        found[name] = (content or b"").decode("utf-8", "replace")
    return found


async def vm_file_path(getter: Getter, workspace: Workspace) -> int:
    """1 if there is such a file, else 0."""
    return await _exists(getter, workspace, "f")


async def vm_dir_path(getter: Getter, workspace: Workspace) -> int:
    """1 if there is such a folder, else 0."""
    return await _exists(getter, workspace, "d")


async def vm_file_content(getter: Getter, workspace: Workspace) -> str | None:
    """A text file; `None` if there is none."""
    content = await read_file(workspace, getter.parse(PathFields).path)
    return None if content is None else content.decode("utf-8", "replace")


async def _exists(getter: Getter, workspace: Workspace, kind: str) -> int:
    fields = getter.parse(PathFields)
    name = fields.path.rstrip("/")
    path = name if name.startswith("/") else f"*/{name}"
    # A path of the task file is a path, not a pattern.
    pattern = re.sub(r"([\[\]?\\])", r"\\\1", path)
    command = ("find", fields.start_from, "-type", kind, "-wholename", pattern, "-print", "-quit")
    return int(bool((await workspace.desktop.run(command, time_limit=60)).stdout.strip()))
