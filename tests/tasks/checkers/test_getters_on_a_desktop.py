"""Getters of a browser and of settings on a real desktop."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from support.bare_desktop import need_programs
from tasks.conftest import Do
from trueline.desktop.types import WindowShown
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.getters import get
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace

pytestmark = pytest.mark.full
PAGE = "data:text/html,<title>First page</title><p>hello"


def read(do: Do, workspace: Workspace, kind: str, **fields: JsonValue) -> object:
    return do(get(Getter.model_validate({"type": kind, **fields}), workspace))


def test_settings_of_the_browser_are_read(do: Do, workspace: Workspace) -> None:
    assert read(do, workspace, "enable_do_not_track") == "false"
    assert read(do, workspace, "bookmarks") == []
    profile = ".config/google-chrome/Default"
    do(workspace.desktop.put(f"{profile}/Preferences", json.dumps({"enable_do_not_track": True}).encode()))
    do(workspace.desktop.put(f"{profile}/Bookmarks", json.dumps({"roots": {"bookmark_bar": {}}}).encode()))
    assert read(do, workspace, "enable_do_not_track") == "true"
    assert read(do, workspace, "bookmarks") == {"bookmark_bar": {}}


def test_what_is_on_the_desktop(do: Do, workspace: Workspace) -> None:
    assert read(do, workspace, "vm_screen_size") == {"width": 1024, "height": 768}
    assert read(do, workspace, "vm_window_size", app_class_name="vlc") is None
    assert read(do, workspace, "vlc_playing_info", dest="status.xml") is None
    assert read(do, workspace, "vm_terminal_output") is None
    do(workspace.desktop.put("Desktop/a.desktop", b"[Desktop Entry]\nName=A page\n"))
    starters = read(do, workspace, "shortcuts_on_desktop")
    assert isinstance(starters, dict)
    assert compute("is_shortcut_on_desktop", starters, {"type": "name", "name": "A page"}, {}).score == 1
    assert read(do, workspace, "vm_file_path", path="a.desktop", start_from="/home/user/") == 1
    assert read(do, workspace, "vm_dir_path", path="a.desktop", start_from="/home/user/") == 0


def test_pages_are_read_over_devtools(do: Do, workspace: Workspace) -> None:
    need_programs("/usr/bin/chromium")
    assert read(do, workspace, "open_tabs_info") == []
    do(workspace.desktop.launch(("google-chrome", "--remote-debugging-port=1337", PAGE)))
    do(workspace.desktop.wait_for(WindowShown(title="First page"), time_limit=60))
    tabs = read(do, workspace, "open_tabs_info")
    assert isinstance(tabs, list)
    assert [tab["title"] for tab in tabs] == ["First page"]
    page = read(do, workspace, "page_info", url="data:text/html,<title>Cart</title><b>Dota</b>")
    assert isinstance(page, dict)
    assert (page["title"], "<b>Dota</b>" in str(page["content"])) == ("Cart", True)
    assert compute("is_added_to_steam_cart", page, {"items": ["Dota"]}, {}).score == 1
    again = read(do, workspace, "open_tabs_info")
    assert isinstance(again, list)
    assert len(again) == 1, "the tab that was opened is closed again"
    address = read(do, workspace, "active_url_from_accessTree", goto_prefix="")
    assert isinstance(address, str)
    assert address.startswith("data:text/html")
