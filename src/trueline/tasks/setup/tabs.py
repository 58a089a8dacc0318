"""The step that opens pages in the browser."""

from __future__ import annotations

import json
import re
from importlib import resources

from trueline.desktop.types import Settled
from trueline.tasks.model.steps import TabParameters
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import StepKind
from trueline.tasks.workspace import Workspace

PORTS = (1337, 9222)
"""Where OSWorld's tasks let the browser listen, and where it is relayed to."""
_LIMIT = 60.0
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(//|[^0-9])", re.IGNORECASE)


async def _open_tabs(parameters: TabParameters, workspace: Workspace) -> None:
    """Open pages through DevTools, from a program on the desktop: every desktop has its own loopback."""
    urls = [url if _SCHEME.match(url) else f"http://{url}" for url in parameters.urls_to_open]
    script = (resources.files("trueline.tasks.setup.inside") / "open_tabs.py").read_text("utf-8")
    wanted = json.dumps({"urls": urls, "ports": PORTS, "limit": _LIMIT}).encode()
    # Isolated: no module is imported from the home folder.
    done = await workspace.desktop.run(
        ("python3", "-I", "-c", script), stdin=wanted, time_limit=_LIMIT + 10 * len(urls) + 10
    )
    if done.returncode != 0:
        raise StepFailed("the pages could not be opened", done.stderr.decode("utf-8", "replace"))
    await workspace.desktop.wait_for(Settled())


CHROME_OPEN_TABS = StepKind.typed(TabParameters, _open_tabs)
