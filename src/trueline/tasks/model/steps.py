"""Set-up steps as data: those Trueline can do are typed, all others are kept as they stand."""

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
    """When a repeated command has done its work: any one of these is enough."""

    returncode: int | None = None
    stdout: str | None = None
    """Text that stands in its output."""
    stderr: str | None = None


class ExecuteParameters(Part):
    """A program to run to its end."""

    command: Command
    shell: Truth = False
    stdout: str | None = None
    """Name under which its output is kept for the getter `cache_file`."""
    stderr: str | None = None
    until: Until | None = None
    check: bool = False
    """Ours: ending with another code than 0 is a failure. OSWorld's commands may end as they like."""


class OpenParameters(Part):
    """A file to open with its application, or a program to start."""

    path: Text


class DownloadFile(Part):
    """Where a file comes from and where it goes inside."""

    url: Text
    path: Text


class DownloadParameters(Part):
    """Files to fetch."""

    files: tuple[DownloadFile, ...]


class LocalFile(Part):
    """A file that comes with the tasks and where it goes inside."""

    local_path: Text
    path: Text


class UploadParameters(Part):
    """Files to copy."""

    files: tuple[LocalFile, ...]


class WindowParameters(Part):
    """A window by its title or class."""

    window_name: Text
    strict: Truth = False
    """The whole title, in this case; otherwise a piece of it in any case."""
    by_class: Truth = False


class SleepParameters(Part):
    """A rest."""

    seconds: Annotated[float, Field(ge=0, le=600)]


class TabParameters(Part):
    """Pages to show."""

    urls_to_open: tuple[Text, ...]


class Launch(Part):
    """Start a program and leave it running."""

    type: Literal["launch"]
    parameters: LaunchParameters


class Execute(Part):
    """Run a program to its end; `command` is another name of the same."""

    type: Literal["execute", "command"]
    parameters: ExecuteParameters


class Open(Part):
    """Open a file and wait until its window shows."""

    type: Literal["open"]
    parameters: OpenParameters


class Download(Part):
    """Fetch files through the host's cache and put them inside."""

    type: Literal["download"]
    parameters: DownloadParameters


class UploadFile(Part):
    """Put files that come with the tasks inside."""

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
    """Rest."""

    type: Literal["sleep"]
    parameters: SleepParameters


class ChromeOpenTabs(Part):
    """Open pages in the running browser."""

    type: Literal["chrome_open_tabs"]
    parameters: TabParameters


class OtherStep(Part):
    """A step Trueline cannot do; a task that has one is unsupported."""

    type: Text
    parameters: dict[str, JsonValue] = Field(default={})


_TAGS = {
    "launch": "launch", "execute": "execute", "command": "execute", "open": "open", "download": "download",
    "upload_file": "upload_file", "activate_window": "activate_window", "close_window": "close_window",
    "sleep": "sleep", "chrome_open_tabs": "chrome_open_tabs",
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
    | Annotated[OtherStep, Tag("other")],
    Discriminator(_tag),
]
"""One step of `config` or `evaluator.postconfig`."""
