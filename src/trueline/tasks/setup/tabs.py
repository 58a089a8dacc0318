"""Steps that open and close pages of the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal

from trueline.desktop.types import Settled
from trueline.tasks.model.steps import CloseTabParameters, TabParameters
from trueline.tasks.setup.inside_programs import run_inside
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace

PORTS = (1337, 9222)
"""Where OSWorld's tasks let the browser listen, and where it is relayed to."""
_LIMIT = 60.0
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(//|[^0-9])", re.IGNORECASE)


async def _open_tabs(parameters: TabParameters, workspace: Workspace) -> None:
    """Open pages through DevTools, from a program on the desktop: every desktop has its own loopback."""
    urls = [url if _SCHEME.match(url) else f"http://{url}" for url in parameters.urls_to_open]
    await _run(workspace, "open", urls, "the pages could not be opened")


async def _close_tabs(parameters: CloseTabParameters, workspace: Workspace) -> None:
    """Close all pages with these addresses; one that is not open is none to close."""
    await _run(workspace, "close", parameters.urls_to_close, "the pages could not be closed")


async def _run(workspace: Workspace, do: Literal["open", "close"], urls: Sequence[str], failed: str) -> None:
    wanted = json.dumps({"do": do, "urls": list(urls), "ports": PORTS, "limit": _LIMIT}).encode()
    time_limit = _LIMIT + 10 * len(urls) + 10
    await run_inside(workspace, "change_tabs.py", stdin=wanted, time_limit=time_limit, failed=failed)
    await workspace.desktop.wait_for(Settled())


CHROME_OPEN_TABS = StepKind.typed(TabParameters, _open_tabs)
CHROME_CLOSE_TABS = StepKind.typed(CloseTabParameters, _close_tabs)
