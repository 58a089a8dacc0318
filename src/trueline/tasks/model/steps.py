"""Setup steps as data. OSWorld's that Trueline provides are typed; all others are kept as they are."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Discriminator, Field, JsonValue, StringConstraints, Tag

from trueline.tasks.model.part import Part, Truth

Text = Annotated[str, StringConstraints(min_length=1)]
Words = Annotated[tuple[str, ...], Field(min_length=1)]
Command = Text | Words
"""A command line, or its words."""


class LaunchParameters(Part):
    """A program to start and leave running."""

    command: Command
    shell: Truth = False


class Until(Part):
    """When to stop repeating a command: as soon as one condition holds."""

    returncode: int | None = None
    stdout: str | None = None
    """Text that its output contains."""
    stderr: str | None = None


class ExecuteParameters(Part):
    """A program to run until it exits."""

    command: Command
    shell: Truth = False
    stdout: str | None = None
    """Name under which its output is stored for the getter `cache_file`."""
    stderr: str | None = None
    until: Until | None = None
    check: bool = False
    """Ours: an exit code other than 0 is a failure. In OSWorld it is not."""


class OpenParameters(Part):
    """A file to open with its application, or a program to start."""

    path: Text


class DownloadFile(Part):
    """A URL and the path of the file on the desktop."""

    url: Text
    path: Text


class DownloadParameters(Part):
    """Files to fetch."""

    files: tuple[DownloadFile, ...]


class LocalFile(Part):
    """A file that comes with the tasks, and its path on the desktop."""

    local_path: Text
    path: Text


class UploadParameters(Part):
    """Files to copy."""

    files: tuple[LocalFile, ...]


class WindowParameters(Part):
    """A window by its title or class."""

    window_name: Text
    strict: Truth = False
    """Match the whole title, case-sensitive; otherwise a part of it, case-insensitive."""
    by_class: Truth = False


class SleepParameters(Part):
    """A pause."""

    seconds: Annotated[float, Field(ge=0, le=600)]


class TabParameters(Part):
    """Pages to show."""

    urls_to_open: tuple[Text, ...]


class CloseTabParameters(Part):
    """Pages to close."""

    urls_to_close: tuple[Text, ...]


class PastVisit(Part):
    """A page that the browser remembers."""

    url: Text
    title: str
    visit_time_from_now_in_seconds: Annotated[float, Field(ge=0)]


class HistoryParameters(Part):
    """Visits to add."""

    history: tuple[PastVisit, ...]


class WallpaperParameters(Part):
    """A picture on the desktop."""

    path: Text


class WantedEffect(Part):
    """What must hold after a program has run; both if both are given."""

    window_exists: Text | None = None
    """A part of a window's title, case-insensitive."""
    command_success: Text | None = None
    """A shell's line that exits with code 0."""


class VerifiedParameters(Part):
    """A program to run until it exits, and its effect to wait for."""

    command: Command
    shell: Truth = False
    verification: WantedEffect = WantedEffect()
    max_wait_time: Annotated[float, Field(ge=0, le=600)] = 10
    check_interval: Annotated[float, Field(gt=0, le=600)] = 1


class Launch(Part):
    """Start a program and leave it running."""

    type: Literal["launch"]
    parameters: LaunchParameters


class Execute(Part):
    """Run a program until it exits; `command` is an alias."""

    type: Literal["execute", "command"]
    parameters: ExecuteParameters


class Open(Part):
    """Open a file and wait for its window."""

    type: Literal["open"]
    parameters: OpenParameters


class Download(Part):
    """Download files to the host's cache and copy them to the desktop."""

    type: Literal["download"]
    parameters: DownloadParameters


class UploadFile(Part):
    """Copy files that come with the tasks to the desktop."""

    type: Literal["upload_file"]
    parameters: UploadParameters


class ActivateWindow(Part):
    """Bring a window to the front."""

    type: Literal["activate_window"]
    parameters: WindowParameters


class CloseWindow(Part):
    """Ask a window to close."""

    type: Literal["close_window"]
    parameters: WindowParameters


class Sleep(Part):
    """Wait for some seconds."""

    type: Literal["sleep"]
    parameters: SleepParameters


class ChromeOpenTabs(Part):
    """Open pages in the running browser."""

    type: Literal["chrome_open_tabs"]
    parameters: TabParameters


class ChromeCloseTabs(Part):
    """Close pages of the running browser."""

    type: Literal["chrome_close_tabs"]
    parameters: CloseTabParameters


class UpdateBrowseHistory(Part):
    """Add visits to the history of the browser, which is not running."""

    type: Literal["update_browse_history"]
    parameters: HistoryParameters


class ChangeWallpaper(Part):
    """Set the wallpaper."""

    type: Literal["change_wallpaper"]
    parameters: WallpaperParameters


class ExecuteWithVerification(Part):
    """Run a program until it exits, and wait for its effect."""

    type: Literal["execute_with_verification"]
    parameters: VerifiedParameters


class OtherStep(Part):
    """A step of an installed package. If none provides it, the task is unsupported."""

    type: Text
    parameters: dict[str, JsonValue] = Field(default={})


_TAGS = {
    "launch": "launch", "execute": "execute", "command": "execute", "open": "open", "download": "download",
    "upload_file": "upload_file", "activate_window": "activate_window", "close_window": "close_window",
    "sleep": "sleep", "chrome_open_tabs": "chrome_open_tabs", "chrome_close_tabs": "chrome_close_tabs",
    "update_browse_history": "update_browse_history", "change_wallpaper": "change_wallpaper",
    "execute_with_verification": "execute_with_verification",
}  # fmt: skip


def _tag(value: object) -> str:
    name = cast("dict[str, object]", value).get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return _TAGS.get(name, "other") if isinstance(name, str) else "other"


Step = Annotated[
    Annotated[Launch, Tag("launch")]
    | Annotated[Execute, Tag("execute")]
    | Annotated[Open, Tag("open")]
    | Annotated[Download, Tag("download")]
    | Annotated[UploadFile, Tag("upload_file")]
    | Annotated[ActivateWindow, Tag("activate_window")]
    | Annotated[CloseWindow, Tag("close_window")]
    | Annotated[Sleep, Tag("sleep")]
    | Annotated[ChromeOpenTabs, Tag("chrome_open_tabs")]
    | Annotated[ChromeCloseTabs, Tag("chrome_close_tabs")]
    | Annotated[UpdateBrowseHistory, Tag("update_browse_history")]
    | Annotated[ChangeWallpaper, Tag("change_wallpaper")]
    | Annotated[ExecuteWithVerification, Tag("execute_with_verification")]
    | Annotated[OtherStep, Tag("other")],
    Discriminator(_tag),
]
"""One step of `config` or `evaluator.postconfig`."""
