"""Files as the set-up left them, kept to compare with what the agent makes of them: the getter `kept_file`."""

from __future__ import annotations

import contextlib

from trueline.desktop.types import PathRefused
from trueline.tasks.checkers.hidden import read_hidden
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.model import Evaluator
from trueline.tasks.stage import Stage

KEPT = "kept_file"
_LARGEST = 16 << 20


async def keep_files(evaluator: Evaluator, stage: Stage) -> None:
    """Keep the files that the evaluator will compare.

    Raises:
        DesktopLost: The desktop is gone.
    """
    for getter in evaluator.getters:
        path = (getter.model_extra or {}).get("path")
        if getter.type == KEPT and isinstance(path, str):
            # What is not there yet is kept as that.
            with contextlib.suppress(PathRefused):
                stage.outputs[_name(path)] = await stage.desktop.get(path, limit=_LARGEST)


async def now_and_then(stage: Stage, path: str) -> tuple[FileValue | None, FileValue | None]:
    """The file as it is, and as it was when the set-up ended; `None` where there was no such plain file.

    Raises:
        UnreadableResult: Something is there that cannot be read.
    """
    then = stage.outputs.get(_name(path))
    try:
        now = FileValue(path, await stage.desktop.get(path, limit=_LARGEST))
    except PathRefused:
        now = await _hidden(stage, path)
    return now, None if then is None else FileValue(path, then)


async def _hidden(stage: Stage, path: str) -> FileValue | None:
    content = await read_hidden(stage, path)
    return None if content is None else FileValue(path, content)


def _name(path: str) -> str:
    return f"{KEPT} {path}"
