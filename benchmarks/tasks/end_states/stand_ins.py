"""Stand-ins for the files that a task downloads: generated, of the right type, as a mirror by OSWorld's cache names.

What the set-up brings and what the result is compared with differ, so that an untouched desktop does not score.
"""

from __future__ import annotations

import json
import re
import subprocess
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from archives import archive_members
from scripts import script_text

from trueline.tasks.bridge.environment import environment_folder
from trueline.tasks.model import Task
from trueline.tasks.model.evaluator import Check, checks
from trueline.tasks.model.steps import ActivateWindow, Download

MAKER = Path(__file__).with_name("make_files.py")
_KINDS = {
    "bib": "text", "css": "text", "csv": "csv", "docx": "document", "epub": "epub", "gif": "picture", "gz": "archive",
    "htm": "page", "html": "page", "jpeg": "picture", "jpg": "picture", "json": "json", "m4a": "sound", "mp3": "sound",
    "mp4": "film", "odt": "odt", "pdf": "pdf", "png": "picture", "ppt": "slides", "pptx": "slides", "py": "program",
    "tar": "archive", "tgz": "archive", "vsix": "archive", "wav": "sound", "webp": "picture", "xls": "book",
    "xlsx": "book", "xz": "archive", "zip": "archive",
}  # fmt: skip
_PLAYER = " - VLC media player"
_NAMED_SHEET = re.compile(r"^[RE]N(.+)$")


class Unmade(Exception):
    """There is no stand-in of this kind."""


@dataclass(frozen=True)
class FileWanted:
    """A file to make."""

    name: str
    kind: str
    seed: int
    wants: Mapping[str, Any] = field(default_factory=dict[str, Any])


def seed_of(text: str) -> int:
    return zlib.crc32(text.encode())


def kind_of(*names: str) -> str:
    """What kind of file the first name with a known suffix is."""
    for name in names:
        found = _KINDS.get(PurePosixPath(name.split("?")[0]).suffix.lower().lstrip("."))
        if found is not None:
            return found
    return "text"


def make(wanted: Iterable[FileWanted], folder: Path) -> None:
    """Make files that are not there yet.

    Raises:
        Unmade: One cannot be made.
    """
    orders = [
        {"path": str(folder / one.name), "kind": one.kind, "seed": one.seed, "wants": dict(one.wants)}
        for one in wanted
        if not (folder / one.name).exists()
    ]
    if not orders:
        return
    python = environment_folder() / "bin/python"
    done = subprocess.run([str(python), str(MAKER)], input=json.dumps(orders), capture_output=True, text=True)
    if done.returncode:
        raise Unmade(done.stderr.strip()[-500:])


def stand_ins(task: Task) -> tuple[FileWanted, ...]:
    """The stand-ins of a task, named as OSWorld's cache names them."""
    found: dict[str, FileWanted] = {}
    for url, path, seed, wants in (*_brought(task), *_compared(task)):
        name = PurePosixPath(unquote(urlsplit(url).path)).name or "file"
        if url not in found:
            kind = wants.pop("kind", None) or kind_of(path, name)
            # The suffix decides about the format inside, and OSWorld stores some files without theirs.
            suffix = PurePosixPath(path).suffix or PurePosixPath(name).suffix
            stored = f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_file{suffix}"
            found[url] = FileWanted(stored, kind, seed, wants)
    return tuple(found.values())


def _brought(task: Task) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """What set-up steps download."""
    functions = task.evaluator.functions
    for step in (*task.config, *task.evaluator.postconfig):
        if not isinstance(step, Download):
            continue
        for file in step.parameters.files:
            wants: dict[str, Any] = {}
            text = script_text(task, PurePosixPath(file.path).name)
            members = archive_members(file.url, file.path)
            if text is not None:
                wants = {"kind": "text", "text": text}
            elif members is not None:
                wants = {"kind": "archive", "members": members}
            elif "compare_unique_train_records" in functions and file.path.endswith(".docx"):
                wants = {"kind": "trains"}
            elif "check_green_background" in functions:
                wants = {"square": True}
            elif kind_of(file.path) == "sound" and "compare_audios" not in functions:
                wants = {"seconds": 90}
            else:
                wants = {"title": _shown_title(task, PurePosixPath(file.path).name)}
            yield file.url, file.path, seed_of(file.url), wants


def _shown_title(task: Task, name: str) -> str:
    """The title of a file, which its viewer shows in its window and a later step looks for."""
    for step in task.config:
        if isinstance(step, ActivateWindow):
            window = step.parameters.window_name
            if window.endswith(_PLAYER) and not window.startswith(name):
                return window.removesuffix(_PLAYER)
            if window.startswith(f"{name} — "):
                return window.removeprefix(f"{name} — ")
    return ""


def _compared(task: Task) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """What the result is compared with; a sheet's CSV has the seed of its workbook."""
    for check in checks(task.evaluator):
        for getter in (check.expected, check.result):
            if getter is None or getter.type != "cloud_file":
                continue
            extra: Mapping[str, Any] = getter.model_extra or {}
            urls, names = _listed(extra.get("path")), _listed(extra.get("dest"))
            for number, url in enumerate(urls):
                name = names[number] if number < len(names) else url
                csv_of_book = kind_of(name) == "csv" and number > 0
                yield url, name, seed_of(urls[0] if csv_of_book else url), wants_of(check, name)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value or () if isinstance(one, str)]


def wants_of(check: Check, name: str) -> dict[str, Any]:
    """What a check looks for in a file that passes it."""
    match kind_of(name):
        case "book":
            return book_wants(check)
        case "document" if check.function == "compare_unique_train_records":
            return {"kind": "trains", "formatted": "gold" in name.lower()}
        case "document":
            return {"formatted": True, "tabs": check.function == "check_tabstops"}
        case "pdf":
            return {"pages": 1}
        case _:
            return {}


def book_wants(check: Check) -> dict[str, Any]:
    """Sheets, cells and settings that the rules of `compare_table` name."""
    rules: Any = check.options.get("rules", ())
    wants: dict[str, Any] = {"sheets": [], "cells": [], "merged": [], "validation": []}
    for rule in rules if check.function == "compare_table" else ():
        for side in ("sheet_idx", "sheet_idx0", "sheet_idx1"):
            named = _NAMED_SHEET.match(str(rule.get(side)))
            if named:
                wants["sheets"].append(named[1])
        sheet = rule.get("sheet_idx")
        named = _NAMED_SHEET.match(str(sheet))
        place = named[1] if named else sheet
        if rule["type"] == "check_cell":
            cell = {"sheet": place, "at": rule["coordinate"]}
            cell |= {prop: wanted["ref"] for prop, wanted in rule["props"].items()}
            wants["cells"].append(cell)
        elif rule["type"] == "zoom":
            wants["zoom"] = 100
        elif rule["type"] == "data_validation":
            for properties in rule["dv_props"]:
                ranges = properties["ranges"]["ref"]
                choices = properties["formula1"]["ref"]
                wants["validation"].append({"range": ranges[0], "choices": choices})
    wants["merged"] = _merged(wants["cells"])
    return {key: value for key, value in wants.items() if value}


def _merged(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ranges of cells side by side whose checks say that they are merged into the one before."""
    found: list[dict[str, Any]] = []
    for cell in cells:
        if not cell.get("merge"):
            continue
        column, row = cell["at"][0], cell["at"][1:]
        last = found[-1] if found else None
        if last and last["sheet"] == cell["sheet"] and last["row"] == row and ord(last["end"]) + 1 == ord(column):
            last["end"] = column
        else:
            found.append({"sheet": cell["sheet"], "row": row, "start": chr(ord(column) - 1), "end": column})
    return [{"sheet": one["sheet"], "range": f"{one['start']}{one['row']}:{one['end']}{one['row']}"} for one in found]
