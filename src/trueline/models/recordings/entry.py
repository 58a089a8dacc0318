"""One line of a recording: a request and what came back.

Images are replaced by their digests: replaying needs nothing else, and fixtures hold no screenshots.
Keys and server addresses are never written: a mark replaces each key, also inside texts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue, ValidationError, model_validator

from trueline.errors import InputError
from trueline.models import errors
from trueline.models.canonical import canonical_json
from trueline.models.errors import ModelError, NoAnswerError
from trueline.models.hidden import hide_text
from trueline.models.keys import Redactor
from trueline.models.types import Answer, Frozen, Json, ModelId, Purpose, Request
from trueline.validation import describe_validation_error

FORMAT = 1

_ERRORS: dict[str, type[ModelError]] = {
    kind.__name__: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ModelError) and kind is not NoAnswerError
}


class RecordingError(InputError):
    """A recording cannot be written or read."""


class RecordedFailure(Frozen):
    """An error in place of an answer."""

    type: str
    message: str
    status: int | None = None

    @staticmethod
    def from_error(error: ModelError) -> RecordedFailure:
        """Make the record of an error."""
        return RecordedFailure(type=type(error).__name__, message=str(error), status=error.status)

    def error(self) -> ModelError:
        """Return the error as it was raised; a type unknown here becomes a plain `ModelError`."""
        return _ERRORS.get(self.type, ModelError)(self.message, status=self.status)


class RecordingEntry(Frozen):
    """A request and its outcome."""

    format: Annotated[int, Field(ge=FORMAT, le=FORMAT)]
    model: str
    purpose: Purpose
    stage: str = ""
    episode: str = ""
    request: Json
    """All that shapes the answer: `Request.shape()`."""
    answer: Answer | None = None
    error: RecordedFailure | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> RecordingEntry:
        if (self.answer is None) == (self.error is None):
            raise ValueError("an entry holds either an answer or an error")
        return self

    @staticmethod
    def from_outcome(model: ModelId, request: Request, outcome: Answer | ModelError) -> RecordingEntry:
        """Make the record of a request and its outcome."""
        failed = isinstance(outcome, ModelError)
        return RecordingEntry(
            format=FORMAT,
            model=str(model),
            purpose=request.purpose,
            stage=request.stage,
            episode=request.episode,
            request=request.shape(),
            answer=None if failed else outcome,
            error=RecordedFailure.from_error(outcome) if failed else None,
        )

    def outcome(self) -> Answer:
        """Return the answer, or raise the error."""
        if self.answer is None:
            raise self.error.error() if self.error else ModelError("nothing was recorded")
        return self.answer

    def line(self, redactor: Redactor) -> bytes:
        """Return the entry as one line of JSON, without keys and passwords."""
        data = without_keys(self.model_dump(mode="json", exclude_defaults=True), redactor)
        return canonical_json(data).encode("ascii") + b"\n"


def without_keys(value: JsonValue, redactor: Redactor) -> JsonValue:
    """Return JSON with everything in its texts that is, or looks like, a key or a password in an address hidden."""
    if isinstance(value, str):
        return hide_text(value, redactor)
    if isinstance(value, list):
        return [without_keys(inner, redactor) for inner in value]
    if isinstance(value, dict):
        return {hide_text(key, redactor): without_keys(inner, redactor) for key, inner in value.items()}
    return value


def read_recording(path: Path) -> list[RecordingEntry]:
    """Read a recording. An incomplete last line, as a killed process leaves it, is skipped.

    Raises:
        RecordingError: One line that names the file, the line and what is wrong with it.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as e:
        raise RecordingError(f"{path}: the recording cannot be read: {e.strerror}") from None
    whole = [line for line in lines if line.endswith(b"\n")]
    return [_read_line(line, f"{path}:{number}") for number, line in enumerate(whole, start=1)]


def _read_line(line: bytes, place: str) -> RecordingEntry:
    try:
        data: JsonValue = json.loads(line)
        return RecordingEntry.model_validate(data)
    except ValidationError as e:
        raise RecordingError(f"{place}: {describe_validation_error(e, whole='the line')}") from None
    except (ValueError, RecursionError) as e:
        raise RecordingError(f"{place}: invalid JSON: {e}; remove the line or record again") from None
