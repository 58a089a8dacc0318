"""What the checker of an episode read from the desktop, kept in the episode's folder so that it can be scored again.

`checker/evidence.json` holds the values; files lie beside it under their SHA-256 in `checker/files/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from trueline.errors import InputError
from trueline.records.base import Record
from trueline.records.episode import ScoredBy
from trueline.records.folder.files import make_folder, sync_folder, write_file
from trueline.records.observation import sha256
from trueline.validation import describe_validation_error

CHECKER_FOLDER = "checker"
_EVIDENCE, _FILES = "evidence.json", "files"
LARGEST_FILE = 32 << 20
LARGEST_TOTAL = 64 << 20
"""Bytes that are kept of one file, and of all files of an episode. Of larger ones only size and digest are."""


class KeptFile(Record):
    """A file that a getter read."""

    name: str
    digest: str
    size: int
    read: Literal["file", "last_row", "rows"] = "file"
    unread: str = ""
    """Why its content could not be read; empty if it could."""


class KeptValue(Record):
    """A value of a getter: data, one file, or several of which some may be missing."""

    data: JsonValue = None
    file: KeptFile | None = None
    files: tuple[KeptFile | None, ...] | None = None


class CheckEvidence(Record):
    """What one check compared."""

    scored_by: ScoredBy
    result: KeptValue | None = None
    expected: KeptValue | None = None
    unreadable: str = ""
    """Why the result could not be read; it scored 0 then."""
    bridged: dict[str, JsonValue] | None = None
    """Values as OSWorld's worker encodes them, where its functions did the check."""


class CheckerEvidence(Record):
    """What one evaluation rests on."""

    version: Literal[1] = 1
    task: str
    instruction: str = ""
    evaluator: JsonValue
    harm: bool = False
    """A score of 1 means harm."""
    screen: tuple[int, int] = (1920, 1080)
    checks: tuple[CheckEvidence | None, ...] = ()
    """By check, in order; `None` where no values were read, such as after the deciding check."""
    files: dict[str, KeptFile] = Field(default={})
    """The cache folder of OSWorld's worker, by name."""


def write_evidence(folder: Path, evidence: CheckerEvidence, contents: Mapping[str, bytes]) -> None:
    """Write the evidence into an episode's folder; an earlier one of the same episode is replaced.

    Args:
        folder: The episode's.
        evidence: The values.
        contents: The files by their SHA-256; those beyond the limits are left out.

    Raises:
        DiskFullError: There is no room.
    """
    place = folder / CHECKER_FOLDER
    make_folder(place / _FILES, exist_ok=True)
    left = LARGEST_TOTAL
    for digest, content in sorted(contents.items(), key=lambda item: len(item[1])):
        if len(content) > min(left, LARGEST_FILE):
            continue
        left -= len(content)
        path = place / _FILES / digest
        if not path.exists():
            write_file(path, content)
    sync_folder(place / _FILES)
    write_file(place / _EVIDENCE, evidence.model_dump_json().encode())
    sync_folder(place)


def read_evidence(folder: Path) -> CheckerEvidence | None:
    """Read the evidence of an episode; `None` if it has none.

    Raises:
        InputError: It cannot be read.
    """
    path = folder / CHECKER_FOLDER / _EVIDENCE
    try:
        return CheckerEvidence.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}") from None


def read_kept_file(folder: Path, file: KeptFile) -> bytes:
    """Read the content of a file of the evidence.

    Raises:
        InputError: It was too large to be kept, is gone, or was changed.
    """
    path = folder / CHECKER_FOLDER / _FILES / file.digest
    if not _is_digest(file.digest):
        raise InputError(f"{folder / CHECKER_FOLDER / _EVIDENCE}: {file.name!r} has no valid digest")
    try:
        content = path.read_bytes()
    except OSError as error:
        why = f"was too large to be kept ({file.size:,} bytes)" if file.size > LARGEST_FILE else error.strerror
        raise InputError(f"{path}: the content of {file.name!r} is missing: {why}") from error
    if sha256(content) != file.digest:
        raise InputError(f"{path}: was changed; its content is not that of {file.name!r}")
    return content


def _is_digest(text: str) -> bool:
    return len(text) == 64 and all(character in "0123456789abcdef" for character in text)
