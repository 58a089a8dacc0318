"""The labels on disk: one line each, written as soon as it is known, so that a run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from pydantic import Field, ValidationError

from trueline.errors import InputError
from trueline.records.base import Count, Digest, Record
from trueline.records.folder.files import LineFile, make_folder
from trueline.records.ledger import Changes
from trueline.runs.truth.labels import TruthLabel
from trueline.runs.truth.reproduction import Reproduction
from trueline.validation import describe_validation_error

FILE = "truth.jsonl"


class TruthHeader(Record):
    """The first line: how proposals are drawn, which must not change when a run is resumed."""

    truth: Literal[1] = 1
    seed: int
    share: float
    """The probability with which an allowed proposal is drawn."""
    allowed: dict[str, Digest] = Field(default={})
    """Digest of each task's list of allowed changes, as it stands in its file."""


class TruthRow(Record):
    """A labelled proposal."""

    episode: str
    """Its folder below the folder of results."""
    task: str
    vector: str | None = None
    goal: str | None = None
    step: Count
    attempt: Count
    proposal: str
    flagged: bool | None = None
    """Whether the guard would not have let it run by itself; `None` without a guard."""
    ran: bool
    probability: float
    """With which it was drawn."""
    reproduction: Reproduction
    settled: TruthLabel
    """What it led to once it had settled."""
    end: TruthLabel | None = None
    """What it led to when the agent had gone on to its end; `None`: nobody could go on."""
    went_on: str | None = None
    """Who went on."""
    allowed: Digest
    """Of what the task may change, as varied for this episode."""
    changes: Changes | None = None
    """What changed in its step of the replay; `None` in results of earlier versions, and where it is unknown."""

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells it from other rows."""
        return self.episode, self.step, self.attempt


class Journal:
    """Labels so far; a context manager while more are added."""

    def __init__(self, folder: Path, header: TruthHeader) -> None:
        """Read what an earlier run found.

        Raises:
            InputError: The file is broken, or was written with other settings.
        """
        self._folder, self._header = folder, header
        self.rows: dict[tuple[str, int, int], TruthRow] = {}
        self._file: LineFile | None = None
        path = folder / FILE
        self._new = not path.exists()
        if not self._new:
            self._read(path)

    def __enter__(self) -> Self:
        """Open the file."""
        make_folder(self._folder, exist_ok=True)
        self._file = LineFile(self._folder / FILE)
        if self._new:
            self._file.append(_line(self._header))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._file is not None, "it was entered"
        self._file.close()

    def add(self, rows: Iterable[TruthRow]) -> None:
        """Add labels; once this returns, no crash loses them."""
        assert self._file is not None, "it was entered"
        found = list(rows)
        self._file.append(b"".join(_line(row) for row in found))
        self.rows |= {row.key: row for row in found}

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        if not content.endswith(b"\n"):
            # A crash cut the last line off; what it was about is done again.
            content = content[: content.rfind(b"\n") + 1]
            path.write_bytes(content)
        header, rows = _parse(content, path)
        self._new = header is None
        if header is not None:
            self._check(header, path)
        self.rows = {row.key: row for row in rows}

    def _check(self, there: TruthHeader, path: Path) -> None:
        mine = self._header
        for name in ("seed", "share"):
            if getattr(there, name) != getattr(mine, name):
                raise InputError(
                    f"{path}: was begun with --{name} {getattr(there, name)}; use the same, or another --output folder"
                )
        changed = [task for task, digest in mine.allowed.items() if there.allowed.get(task, digest) != digest]
        if changed:
            raise InputError(
                f"{path}: the allowed changes of {changed[0]} have changed since; use another --output folder"
            )


def read_rows(folder: Path) -> tuple[TruthRow, ...]:
    """Read the labelled proposals of a folder; of a proposal that is there twice, the last one counts.

    Raises:
        InputError: There are none, or the file is broken.
    """
    path = folder / FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); run trueline guard truth first, or name its --output folder"
        ) from error
    _, rows = _parse(content[: content.rfind(b"\n") + 1], path)
    return tuple({row.key: row for row in rows}.values())


def _parse(content: bytes, path: Path) -> tuple[TruthHeader | None, list[TruthRow]]:
    header, rows = None, list[TruthRow]()
    for number, line in enumerate(content.splitlines(), 1):
        try:
            if number == 1:
                header = TruthHeader.model_validate_json(line)
            else:
                rows.append(TruthRow.model_validate_json(line))
        except ValidationError as error:
            raise InputError(f"{path}:{number}: {describe_validation_error(error)}") from error
    return header, rows


def _line(record: Record) -> bytes:
    return json.dumps(record.model_dump(mode="json"), separators=(",", ":")).encode("ascii") + b"\n"
