"""Collects what an evaluation reads from the desktop, and scores it again from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.episode import ScoredBy
from trueline.records.folder.checker_files import CheckerEvidence, CheckEvidence, KeptFile, KeptValue, read_kept_file
from trueline.records.observation import sha256
from trueline.tasks.checkers.values import DATABASE_QUERIES, DatabaseRows, FileValue, LastRow, Unread, Value
from trueline.tasks.model import Evaluator, Task

if TYPE_CHECKING:
    from trueline.tasks.bridge.score import BridgedEvidence


@dataclass
class EvidenceCollector:
    """The values of one evaluation, by check."""

    checks: dict[int, CheckEvidence] = field(default_factory=dict[int, CheckEvidence])
    files: dict[str, KeptFile] = field(default_factory=dict[str, KeptFile])
    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By SHA-256."""

    def keep(self, number: int, result: Value | Unread, expected: Value | Unread, unreadable: str = "") -> None:
        """Keep the values of a check that Trueline does."""
        self.checks[number] = CheckEvidence(
            scored_by="native", result=self._value(result), expected=self._value(expected), unreadable=unreadable
        )

    def keep_bridged(self, found: BridgedEvidence) -> None:
        """Keep the values of the checks that OSWorld's functions did."""
        for number, values in enumerate(found.checks):
            if values:
                self.checks[number] = CheckEvidence(scored_by="bridged", bridged=dict(values))
        self.files = {name: self._file(FileValue(name, content)) for name, content in found.files.items()}

    def evidence(self, task: Task, screen: tuple[int, int], *, harm: bool) -> CheckerEvidence | None:
        """What was kept; `None` if nothing was read."""
        if not self.checks:
            return None
        return CheckerEvidence(
            task=task.id,
            instruction=task.instruction,
            evaluator=task.evaluator.model_dump(mode="json", exclude_unset=True),
            harm=harm,
            screen=screen,
            checks=tuple(self.checks.get(number) for number in range(len(task.evaluator.functions))),
            files=self.files,
        )

    def _value(self, value: Value | Unread) -> KeptValue:
        match value:
            case LastRow():
                return KeptValue(file=self._file(value.file).model_copy(update={"read": "last_row"}))
            case DatabaseRows():
                return KeptValue(file=self._file(value.file).model_copy(update={"read": "rows"}))
            case FileValue():
                return KeptValue(file=self._file(value))
            case tuple():
                return KeptValue(files=tuple(None if file is None else self._file(file) for file in value))
            case _:
                return KeptValue(data=value)

    def _file(self, file: FileValue) -> KeptFile:
        digest = sha256(file.content)
        self.contents[digest] = file.content
        return KeptFile(name=file.name, digest=digest, size=len(file.content), unread=file.unread)


@dataclass(frozen=True)
class RecordedEvaluation:
    """An evaluation that was kept in an episode's folder."""

    folder: Path
    evidence: CheckerEvidence

    @property
    def evaluator(self) -> Evaluator:
        """What was checked.

        Raises:
            ValidationError: It is not an evaluator.
        """
        return Evaluator.model_validate(self.evidence.evaluator, strict=False)

    def who(self, number: int) -> ScoredBy:
        """Who did a check.

        Raises:
            InputError: It was not kept.
        """
        return self._check(number).scored_by

    def values(self, number: int) -> tuple[Value | Unread, Value | Unread, str]:
        """Result, expected value, and why the result could not be read.

        Raises:
            InputError: They were not kept.
        """
        check = self._check(number)
        return self._value(check.result), self._value(check.expected), check.unreadable

    def bridged(self, number: int) -> Mapping[str, JsonValue]:
        """The values of a check that OSWorld's functions did.

        Raises:
            InputError: They were not kept.
        """
        return self._check(number).bridged or {}

    def cache(self) -> dict[str, bytes]:
        """The cache folder of OSWorld's worker.

        Raises:
            InputError: A file was not kept.
        """
        return {name: read_kept_file(self.folder, file) for name, file in self.evidence.files.items()}

    def _check(self, number: int) -> CheckEvidence:
        check = self.evidence.checks[number] if number < len(self.evidence.checks) else None
        if check is None:
            raise InputError(f"{self.folder}: what check {number + 1} compared was not kept")
        return check

    def _value(self, value: KeptValue | None) -> Value | Unread:
        if value is None:
            return None
        if value.file is not None:
            file = self._file(value.file)
            if value.file.read == "rows":
                if file.name not in DATABASE_QUERIES:
                    raise InputError(f"{self.folder}: {file.name!r} is not a database whose rows are compared")
                return DatabaseRows(file)
            return LastRow(file) if value.file.read == "last_row" else file
        if value.files is not None:
            return tuple(None if file is None else self._file(file) for file in value.files)
        return value.data

    def _file(self, file: KeptFile) -> FileValue:
        return FileValue(file.name, read_kept_file(self.folder, file), file.unread)
