"""The getter `kept_file`: a file as it is now and as the setup left it."""

from __future__ import annotations

import contextlib

from trueline.desktop.types import PathRefused
from trueline.tasks.checkers.protected_files import read_protected_file
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.model import Evaluator, Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace

KEPT = "kept_file"
_LARGEST = 16 << 20


class KeptFileFields(Part):
    """Fields of the getter."""

    path: Text


async def keep_files(evaluator: Evaluator, workspace: Workspace) -> None:
    """Store the files that the evaluator will compare, at the end of the setup.

    Raises:
        DesktopLost: The desktop is gone.
    """
    for getter in evaluator.getters:
        path = (getter.model_extra or {}).get("path")
        if getter.type == KEPT and isinstance(path, str):
            # A file that does not exist yet has no original.
            with contextlib.suppress(PathRefused):
                workspace.outputs[_name(path)] = await workspace.desktop.get(path, limit=_LARGEST)


async def kept_file(getter: Getter, workspace: Workspace) -> tuple[FileValue | None, FileValue | None]:
    """The file now and at the end of the setup; `None` where there was no such regular file.

    Raises:
        UnreadableResult: Something is there that cannot be read.
    """
    path = getter.parse(KeptFileFields).path
    original = workspace.outputs.get(_name(path))
    try:
        now = await workspace.desktop.get(path, limit=_LARGEST)
    except PathRefused:
        now = await read_protected_file(workspace, path)
    return _value(path, now), _value(path, original)


def _value(path: str, content: bytes | None) -> FileValue | None:
    return None if content is None else FileValue(path, content)


def _name(path: str) -> str:
    return f"{KEPT} {path}"
