"""The step that changes the wallpaper."""

from __future__ import annotations

from trueline.desktop.types import Settled
from trueline.tasks.model.steps import WallpaperParameters
from trueline.tasks.setup.inside_programs import run_inside
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace, home_path


async def _change_wallpaper(parameters: WallpaperParameters, workspace: Workspace) -> None:
    path = home_path(parameters.path).encode()
    failed = "the wallpaper could not be changed"
    await run_inside(workspace, "wallpaper.py", stdin=path, time_limit=60.0, failed=failed)
    await workspace.desktop.wait_for(Settled())


CHANGE_WALLPAPER = StepKind.typed(WallpaperParameters, _change_wallpaper)
