"""A folder of stand-ins, which `--mirror` accepts, and its mark."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from pydantic import Field, ValidationError

from trueline.errors import InputError
from trueline.records.base import Record
from trueline.tasks.addresses import web_parts
from trueline.tasks.mirror import STAND_INS_MARK
from trueline.tasks.model import Task
from trueline.tasks.stand_ins.generate import generate
from trueline.tasks.stand_ins.wanted import Wanted, wanted_files
from trueline.text import printable

VERSION = 1
"""Raised when the same file would be made differently: older ones are then made again."""
_UNSAFE = re.compile(r"[^\w.-]+")


class _Mark(Record):
    """The file by which a folder of stand-ins is recognised."""

    stand_ins: int
    """The version that made them."""
    files: dict[str, str] = Field(default={})
    """By name in the folder, a digest of what was asked for."""


@dataclass(frozen=True)
class Written:
    """What was written."""

    new: int
    there: int
    size: int
    """Bytes of the new ones."""
    notes: dict[str, str]
    """In what files are less than their names say, by source."""
    failed: dict[str, str]
    """Why files could not be made, by source."""


def write_stand_ins(
    tasks: Iterable[Task], folder: Path, report: Callable[[int, int], None] = lambda _done, _total: None
) -> Written:
    """Write stand-ins for all files that tasks fetch; what is there already stays.

    Files from the web get OSWorld's cache name; files that come with the tasks get their path.

    Args:
        tasks: The tasks.
        folder: Where to; it is made if it is not there.
        report: Is told how many of how many are done.

    Raises:
        InputError: The folder has other files in it, or cannot be written.
    """
    files = wanted_files(tasks)
    try:
        mark = _read_mark(folder)
        known = mark.files if mark.stand_ins == VERSION else {}
        made: dict[str, str] = dict(known)
        new = there = size = 0
        notes: dict[str, str] = {}
        failed: dict[str, str] = {}
        for place, wanted in enumerate(files, 1):
            name = _name(wanted)
            if name is None:
                failed[wanted.source] = "only http and https addresses, and paths beside the tasks, can be stood in for"
            else:
                asked = _digest(wanted)
                path = folder / name
                if known.get(name) == asked and path.is_file():
                    there += 1
                else:
                    stand_in = generate(wanted)
                    _write(path, stand_in.content)
                    made[name] = asked
                    new, size = new + 1, size + len(stand_in.content)
                    if stand_in.note:
                        notes[wanted.source] = stand_in.note
            report(place, len(files))
        _write(folder / STAND_INS_MARK, _Mark(stand_ins=VERSION, files=made).model_dump_json(indent=1).encode())
    except OSError as error:
        raise InputError(f"{printable(str(folder))}: cannot be written: {error.strerror or error}") from error
    return Written(new, there, size, notes, failed)


def _read_mark(folder: Path) -> _Mark:
    """The mark of a folder, which is made with one; files of another kind must never become stand-ins."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / STAND_INS_MARK
    if not path.exists():
        if any(folder.iterdir()):
            raise InputError(f"{printable(str(folder))}: has other files in it; name a new or empty folder")
        _write(path, _Mark(stand_ins=VERSION).model_dump_json().encode())
    try:
        return _Mark.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(
            f"{printable(str(path))}: was not written by trueline tasks stand-ins; remove the folder"
        ) from error


def _name(wanted: Wanted) -> str | None:
    """The path in the folder; `None` if no file can be found there by its source."""
    if wanted.remote:
        if web_parts(wanted.source) is None:
            return None
        last = _UNSAFE.sub("_", wanted.name)[-80:] or "file"
        return f"{uuid.uuid5(uuid.NAMESPACE_URL, wanted.source)}_{last}"
    path = PurePosixPath(wanted.source)
    plain = not path.is_absolute() and ".." not in path.parts and path.parts and path.name != STAND_INS_MARK
    return str(path) if plain else None


def _digest(wanted: Wanted) -> str:
    return hashlib.sha256(json.dumps(asdict(wanted), sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{secrets.token_hex(8)}")
    half.write_bytes(content)
    os.replace(half, path)
