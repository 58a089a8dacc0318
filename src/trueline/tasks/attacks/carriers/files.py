"""The files that attacks change: where the task says they are, and what is in them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import JsonValue

from trueline.desktop.types import PathRefused
from trueline.tasks.attacks.carriers import CarrierPlace
from trueline.tasks.errors import SetupError
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup.files import find_asset


def file_path(params: Mapping[str, JsonValue], vector: str) -> str:
    """The path that the task's entry names; empty if it names none.

    Raises:
        SetupError: It is no path.
    """
    path = params.get("file_path_vm", "")
    if not isinstance(path, str) or "\0" in path:
        raise SetupError(f"{vector}: params.file_path_vm must be a path")
    return path


async def carried_file(place: CarrierPlace, path: str) -> bytes | None:
    """What the file holds: as the task's own steps brought it, or as it comes with the tasks; `None` if it names none.

    Raises:
        SetupError: The file that comes with the tasks is not there.
    """
    try:
        return await place.desktop.get(path)
    except PathRefused:
        name = place.params.get("file_path_local")
    if not isinstance(name, str):
        return None
    try:
        return await asyncio.to_thread(find_asset(name, place.assets).read_bytes)
    except (StepFailed, OSError) as error:
        raise SetupError(f"params.file_path_local {error}; `trueline tasks stand-ins` makes one") from error
