"""Where a task's steps are done and its end state is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from trueline.desktop.types import Desktop
from trueline.tasks.downloads import Downloads

HOME = "/home/user"
"""OSWorld's account; the local desktop's is the same."""


@dataclass(frozen=True)
class Workspace:
    """A desktop with what set-up steps and checkers need besides."""

    desktop: Desktop
    downloads: Downloads
    assets: tuple[Path, ...] = ()
    """Folders in which files that come with the tasks are looked for."""
    screen: tuple[int, int] = (1920, 1080)
    password: str = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know
    outputs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """What commands printed, under the names their steps gave; the getter `cache_file` reads it."""

    def filled(self, text: str) -> str:
        """The text with its placeholders replaced."""
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
