"""Where the steps of a task run and its end state is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.desktop.types import Desktop
from trueline.tasks.downloads import Downloads

if TYPE_CHECKING:
    from trueline.tasks.rtc.episode import RtcEpisode

HOME = "/home/user"
"""OSWorld's account; the local desktop's is the same."""


_SHORT = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/|$)")


def home_path(path: str) -> str:
    """A path with the home folder's name in place of its short forms, as OSWorld's server reads it."""
    match = _SHORT.match(path)
    return path if match is None else HOME + path[match.end() :]


@dataclass(frozen=True)
class Workspace:
    """A desktop, and what else setup steps and getters need."""

    desktop: Desktop
    downloads: Downloads
    assets: tuple[Path, ...] = ()
    """Folders that are searched for files that come with the tasks."""
    screen: tuple[int, int] = (1920, 1080)
    password: str = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know
    outputs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Outputs that steps stored by name; the getter `cache_file` reads them."""
    after_agent: bool = False
    """The agent has already acted: what a step misses may be gone by its doing."""
    rtc: RtcEpisode | None = None
    """The sites of a task of RTC-Bench."""

    def fill_placeholders(self, text: str) -> str:
        """Replace placeholders such as `{SCREEN_WIDTH}`."""
        width, height = self.screen
        values = {
            "{CLIENT_PASSWORD}": self.password,
            "{SCREEN_WIDTH_HALF}": str(width // 2),
            "{SCREEN_HEIGHT_HALF}": str(height // 2),
            "{SCREEN_WIDTH}": str(width),
            "{SCREEN_HEIGHT}": str(height),
        }
        for name, value in values.items():
            text = text.replace(name, value)
        return text
