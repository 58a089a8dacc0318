"""What changed in a home folder since its desktop started, as `Change` objects.

The supervisor reads both layers (`programs/changes.py`): the files belong to the user inside, who may have closed them
to everybody, the host's user included.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, TypeAdapter

from trueline.desktop.local.programs.changes import DEPTH
from trueline.desktop.types import Change, ChangeKind, DesktopError, DesktopLost, TooDeep


class _End(BaseModel):
    """The last line the supervisor writes."""

    model_config = ConfigDict(extra="forbid")

    end: str
    detail: str = ""
    errno: int = 0


_LINE: TypeAdapter[tuple[str, str, bool]] = TypeAdapter(tuple[str, str, bool], config=ConfigDict(strict=False))


def receive_changes(fd: int) -> tuple[Change, ...]:
    """Read what the supervisor writes into a pipe, sorted by path. Closes the pipe.

    Raises:
        DesktopLost: It ended before it was done.
        TooDeep: The folder cannot be read to its bottom.
        DesktopError: It cannot be read at all.
    """
    with os.fdopen(fd, "rb") as pipe:
        *lines, last = pipe.read().splitlines() or [b""]
    try:
        end = _End.model_validate_json(last)
        changes = tuple(sorted(_changes(lines)))
    except ValueError as error:
        raise DesktopLost("the desktop is gone and its home folder with it; reset it") from error
    if end.errno == errno.ENOENT:
        raise DesktopLost("the desktop is gone and its home folder with it; reset it")
    if end.end == "too deep":
        raise TooDeep(f"diff: folders lie deeper than {DEPTH} in {end.detail}")
    if end.end != "complete":
        raise DesktopError(f"diff: the home folder cannot be read: {os.strerror(end.errno)}")
    return changes


def _changes(lines: Iterable[bytes]) -> Iterable[Change]:
    for line in lines:
        path, kind, folder = _LINE.validate_python(json.loads(line))  # names that are not text hold half characters
        yield Change(path, ChangeKind(kind), folder)
