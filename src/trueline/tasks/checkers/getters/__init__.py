"""Getters by name: what an evaluator reads. OSWorld's, some of ours, and those of packages (`trueline.getters`).

A getter is an async function `(getter, workspace) -> value`. `getter` holds the fields of the task file. It may raise
UnreadableResult for what the agent left in an unreadable state, and CheckerError for everything else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import cast

from pydantic import ValidationError

from trueline.desktop.types import DesktopLost, TooDeep
from trueline.errors import InputError, TruelineError
from trueline.registry import Registry
from trueline.tasks.checkers.values import Unread, UnreadableResult, Value
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace
from trueline.text import printable
from trueline.validation import describe_validation_error

ReadGetter = Callable[[Getter, Workspace], Awaitable[Value | Unread]]
_MODULES = {
    "rule": "stored",
    "cache_file": "stored",
    "vm_file": "files",
    "cloud_file": "files",
    "content_from_vm_file": "files",
    "vm_command_line": "commands",
    "vm_command_error": "commands",
    "list_directory": "list_directory",
    "accessibility_tree": "accessibility_tree",
    "enable_do_not_track": "browser_profile",
    "enable_enhanced_safety_browsing": "browser_profile",
    "enable_safe_browsing": "browser_profile",
    "new_startup_page": "browser_profile",
    "data_delete_automacally": "browser_profile",
    "default_search_engine": "browser_profile",
    "profile_name": "browser_profile",
    "chrome_font_size": "browser_profile",
    "chrome_language": "browser_profile",
    "enabled_experiments": "browser_profile",
    "chrome_color_scheme": "browser_profile",
    "chrome_appearance_mode_ui": "browser_profile",
    "find_unpacked_extension_path": "browser_profile",
    "find_installed_extension_name": "browser_profile",
    "bookmarks": "browser_profile",
    "cookie_data": "browser_profile",
    "history": "browser_profile",
    "active_url_from_accessTree": "browser_pages",
    "active_tab_url_parse": "browser_pages",
    "url_dashPart": "browser_pages",
    "url_path_parse": "browser_pages",
    "open_tabs_info": "browser_pages",
    "active_tab_info": "browser_pages",
    "page_info": "browser_pages",
    "vlc_config": "applications",
    "vlc_playing_info": "applications",
    "gimp_config_file": "applications",
    "vscode_config": "applications",
    "default_video_player": "applications",
    "vm_screen_size": "desktop_state",
    "vm_window_size": "desktop_state",
    "vm_wallpaper": "desktop_state",
    "vm_terminal_output": "desktop_state",
    "shortcuts_on_desktop": "desktop_state",
    "vm_file_path": "desktop_state",
    "vm_dir_path": "desktop_state",
    "vm_file_content": "desktop_state",
    "vm_zip_password": "encrypted_archive",
    "docker_images": "commands",
    "info_from_websites": "web_sites",
    "rule_relativeTime": "relative_time",
    "time_diff_range": "relative_time",
    "audio_in_slide": "slide_media",
    "background_image_in_slide": "slide_media",
    "home_diff": "home",
    "changed_files": "home",
    "kept_file": "kept_file",
    "mail_folders": "mail_folders",
}
"""The file of each getter of ours; its function has the getter's name."""


def _adapt(name: str, found: object) -> ReadGetter:
    if not iscoroutinefunction(found):
        raise InputError(f"getter {printable(name, 100)}: must be an async function (getter, workspace)")
    return cast("ReadGetter", found)


GETTERS: Registry[ReadGetter] = Registry(
    "getter", "trueline.getters", {name: f"{__name__}.{module}:{name}" for name, module in _MODULES.items()}, _adapt
)
"""The getters that a task's evaluator may name."""


async def get(getter: Getter | None, workspace: Workspace) -> Value | Unread:
    """Read what a getter names; `None` is a file that does not exist.

    Raises:
        UnreadableResult: What the agent left there cannot be read.
        CheckerError: It cannot be read, through no doing of the agent.
        DesktopLost: The desktop is gone.
    """
    if getter is None:
        return None
    try:
        read = GETTERS.find(getter.type)
    except InputError as error:
        raise CheckerError(str(error)) from error
    try:
        return await read(getter, workspace)
    except (CheckerError, DesktopLost):
        raise
    except TooDeep as error:
        raise UnreadableResult(str(error)) from error
    except ValidationError as error:
        raise CheckerError(f"getter {getter.type}: {describe_validation_error(error, most=5)}") from error
    except TruelineError as error:
        raise CheckerError(f"getter {getter.type}: {error}") from error
