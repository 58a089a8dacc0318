"""Imports ATIF documents as result folders: ours exactly as they were, others as far as their fields are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.episode import EpisodeRecord
from trueline.records.interchange.atif.foreign import DOMAIN, foreign_record
from trueline.records.interchange.atif.images import image_paths, with_images
from trueline.records.interchange.atif.model import ATIF_FILE, AtifTrajectory
from trueline.records.interchange.atif.trueline_extra import (
    AttributedJudgment,
    TruelineExtra,
    read_trueline_extra,
    without_trueline_extra,
)
from trueline.records.interchange.json_place import JsonPlace
from trueline.records.interchange.labels import write_labels
from trueline.records.interchange.new_folder import new_folder, write_episode
from trueline.records.interchange.paths import find_inside, find_stored, folder_name, is_stored_name, picture_suffix
from trueline.records.interchange.sources import stored_files
from trueline.records.interchange.strict_json import load_strict, write_json
from trueline.records.interchange.transfer import Transfer, TransferOptions, TransferredEpisode, transfer
from trueline.records.layout import Location, Unit, check_name

_SNIFF = b'"ATIF-v'
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def find_documents(paths: Sequence[Path]) -> list[Path]:
    """The ATIF documents among files and below folders; the one that an episode was imported from counts only if named.

    Raises:
        InputError: A path is missing, or there is no document, maybe because a file is no JSON.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder")
        below = (file for file in sorted(path.rglob("*.json")) if file.name != ATIF_FILE and file.is_file())
        candidates = [path] if path.is_file() else list(below)
        documents = [file for file in candidates if is_document(file)]
        if not documents:
            for file in candidates:
                load_strict(file)
            raise InputError(f'{path}: contains no ATIF document (its "schema_version" begins with ATIF-v)')
        found |= dict.fromkeys(documents)
    return list(found)


def is_document(file: Path) -> bool:
    """Whether a file looks like an ATIF document."""
    return file.is_file() and _SNIFF in file.read_bytes()


def import_atif(files: Sequence[Path], out: Path, options: TransferOptions) -> Transfer:
    """Import documents, one episode each."""
    return transfer(files, str, lambda file: _import_one(file, out, options))


def _import_one(file: Path, out: Path, options: TransferOptions) -> TransferredEpisode:
    document = load_strict(file)
    place = JsonPlace(str(file))
    if not isinstance(document, dict):
        raise InputError(f"{file}: expected an object with a trajectory's fields")
    parsed = place.validate(AtifTrajectory, document)
    if parsed is None:
        raise InputError("; ".join(map(str, place.problems)))
    own = read_trueline_extra(file, document)
    if own is not None:
        return _import_own(file, document, *own, out, options)
    notes = (
        [f"{len(parsed.subagent_trajectories)} subagents stay in {ATIF_FILE}"] if parsed.subagent_trajectories else []
    )
    names, pictures = _pictures(file, image_paths(document), notes)
    renamed = with_images(document, names)
    name = parsed.trajectory_id or parsed.session_id or f"{file.parent.name}-{file.stem}"
    record = foreign_record(AtifTrajectory.model_validate(renamed), name, pictures.keys())
    model = folder_name(parsed.agent.model_name or parsed.agent.name)
    below = Location("tool_calls", "screenshot", model, Unit(DOMAIN, folder_name(name))).path
    with new_folder(out, below, force=options.force) as folder:
        write_episode(folder, record, pictures, link=options.link)
        write_json(folder / ATIF_FILE, renamed)
    return TransferredEpisode(str(file), out / below, notes=(*notes, *(problem.what for problem in record.problems)))


def _pictures(file: Path, paths: Iterable[str], notes: list[str]) -> tuple[dict[str, str], dict[str, Path]]:
    """New names for the pictures that lie beside the document, and the pictures by their new names."""
    names: dict[str, str] = {}
    pictures: dict[str, Path] = {}
    for path in dict.fromkeys(paths):
        if _REMOTE.match(path):
            notes.append("a picture at a URL was not fetched")
            continue
        found = find_inside(path, (file.parent,), (file.parent,))
        if found is None:
            notes.append(f"{path} is missing")
            continue
        names[path] = f"image_{len(names) + 1}{picture_suffix(found)}"
        pictures[names[path]] = found
    return names, pictures


def _import_own(
    file: Path,
    document: dict[str, JsonValue],
    own: TruelineExtra,
    record: EpisodeRecord,
    out: Path,
    options: TransferOptions,
) -> TransferredEpisode:
    names = {stored.file for step in record.steps for stored in stored_files(step)}
    if own.foreign:
        names |= {path for path in image_paths(document) if is_stored_name(path)}
    files = {name: find_stored(file.parent, name) for name in sorted(filter(None, names))}
    notes = tuple(f"{name} is missing" for name, path in files.items() if path is None)
    below = Path(*PurePosixPath(own.path).parts)
    with new_folder(out, below, force=options.force) as folder:
        write_episode(folder, record, {name: path for name, path in files.items() if path}, link=options.link)
        if own.labels is not None:
            write_labels(folder, own.labels)
        for judged in own.judgments:
            _write_judgment(folder, judged)
        if own.foreign:
            write_json(folder / ATIF_FILE, without_trueline_extra(document))
    return TransferredEpisode(str(file), out / below, notes=notes)


def _write_judgment(folder: Path, judged: AttributedJudgment) -> None:
    by = judged.by
    levels = [*by.judge_model.split("/"), by.judge_type, by.version, "judgment.json"]
    if not by.version:
        levels = [by.judge_model, f"{by.judge_type}.json"]
    path = Path(folder, "judgment", *(check_name(level, "judge") for level in levels))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_json(path, judged.judgment.model_dump(mode="json"))
