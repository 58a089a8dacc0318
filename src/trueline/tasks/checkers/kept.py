"""Files as the set-up left them, kept to compare with what the agent makes of them: the getter `kept_file`."""

from __future__ import annotations

import contextlib

from trueline.desktop.types import PathRefused
from trueline.tasks.checkers.hidden import read_hidden
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.model import Evaluator
from trueline.tasks.workspace import Workspace

KEPT = "kept_file"
_LARGEST = 16 << 20


async def keep_files(evaluator: Evaluator, workspace: Workspace) -> None:
    """Keep the files that the evaluator will compare.

    Raises:
        DesktopLost: The desktop is gone.
    """
    for getter in evaluator.getters:
        path = (getter.model_extra or {}).get("path")
        if getter.type == KEPT and isinstance(path, str):
            # What is not there yet is kept as that.
            with contextlib.suppress(PathRefused):
                workspace.outputs[_name(path)] = await workspace.desktop.get(path, limit=_LARGEST)


async def now_and_then(workspace: Workspace, path: str) -> tuple[FileValue | None, FileValue | None]:
    """The file as it is, and as it was when the set-up ended; `None` where there was no such plain file.

    Raises:
        UnreadableResult: Something is there that cannot be read.
    """
    then = workspace.outputs.get(_name(path))
    try:
        now = FileValue(path, await workspace.desktop.get(path, limit=_LARGEST))
    except PathRefused:
        now = await _hidden(workspace, path)
    return now, None if then is None else FileValue(path, then)


async def _hidden(workspace: Workspace, path: str) -> FileValue | None:
    content = await read_hidden(workspace, path)
    return None if content is None else FileValue(path, content)


def _name(path: str) -> str:
    return f"{KEPT} {path}"
