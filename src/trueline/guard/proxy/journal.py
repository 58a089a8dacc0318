"""Verdicts on disk: one line of JSON each, written before anything runs on the strength of it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import orjson

from trueline.actions import ACTION
from trueline.errors import InputError, TruelineError
from trueline.guard.check_answer import CheckAnswer
from trueline.guard.session import CheckOutcome, Session
from trueline.records.observation import Observation

FILE = "guard_proxy.jsonl"


class ProxyJournal:
    """The file `guard_proxy.jsonl` of a folder. It holds what the agent types; no screens, no tokens, no keys."""

    def __init__(self, folder: Path) -> None:
        """Make the folder, readable for nobody else.

        Raises:
            InputError: It cannot be made.
        """
        self.path = folder / FILE
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._append(b"")
        except OSError as error:
            raise InputError(f"--result_dir {folder}: cannot be written ({error.strerror})") from None

    def verdict(self, session: Session, path: str, seen: Observation, outcome: CheckOutcome) -> None:
        """Add a verdict.

        Raises:
            TruelineError: It cannot be written.
        """
        line = {
            "time": datetime.now(UTC).isoformat(),
            "session": session.id,
            "instruction": session.instruction,
            "path": path,
            "observation": seen.digest,
            "actions": [ACTION.dump_python(action, mode="json") for action in outcome.proposal.actions],
            **CheckAnswer.from_outcome(outcome).model_dump(mode="json"),
        }
        try:
            self._append(orjson.dumps(line) + b"\n")
        except OSError as error:
            raise TruelineError(f"{self.path}: the verdict cannot be written ({error.strerror})") from None

    def _append(self, line: bytes) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.write(file, line) != len(line):
                raise OSError(28, "No space left on device")
            os.fsync(file)
        finally:
            os.close(file)
