"""Whether OSWorld's own functions can be used on this machine."""

from __future__ import annotations

import shutil
import sys

from trueline.desktop.local.checks import SEARCH_PATH, install_line
from trueline.errors import MissingExtraError
from trueline.extras import require_extra
from trueline.tasks.bridge.environment import NoEnvironment, find_environment


def why_no_bridge() -> str:
    """Why OSWorld's own functions cannot be used here, with the command that helps; empty if they can.

    Nothing is started: whether namespaces can be made shows when the worker starts.
    """
    if sys.platform != "linux":
        return "they run in a sandbox, which needs Linux"
    if shutil.which("bwrap", path=SEARCH_PATH) is None:
        return f"they run in a sandbox; run: {install_line(['bubblewrap'])}"
    try:
        find_environment()
        require_extra("serve", "serving a desktop to them")
    except (NoEnvironment, MissingExtraError) as error:
        return str(error)
    return ""
