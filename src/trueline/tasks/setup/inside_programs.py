"""Our own programs that steps run on the desktop."""

from __future__ import annotations

from importlib import resources

from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.workspace import Workspace


async def run_inside(workspace: Workspace, program: str, *, stdin: bytes, time_limit: float, failed: str) -> None:
    """Run a program of `inside/` with the desktop's own Python.

    Args:
        workspace: The desktop it runs on.
        program: Its name.
        stdin: Its standard input.
        time_limit: Seconds.
        failed: What its failure means.

    Raises:
        StepFailed: It failed; the output tells why.
    """
    script = (resources.files("trueline.tasks.setup.inside") / program).read_text("utf-8")
    # Isolated: no module is imported from the home folder.
    argv = ("python3", "-I", "-c", script)
    done = await workspace.desktop.run(argv, stdin=stdin, time_limit=time_limit)
    if done.returncode != 0:
        raise StepFailed(failed, done.stderr.decode("utf-8", "replace"))
