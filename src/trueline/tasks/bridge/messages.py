"""What an evaluation answers. It may have run an agent's code, so nothing in an answer is trusted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trueline.tasks.errors import CheckerError
from trueline.text import printable
from trueline.validation import describe_validation_error

LONGEST_LINE = 48 << 20
_MOST_BYTES = 512 << 20
_MOST_FILES = 500
_PIECE = 1 << 18
Phase = Literal["names", "result", "expected", "metric", "import"]
Text = Annotated[str, Field(max_length=1000)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    files: Annotated[tuple[tuple[Annotated[str, Field(max_length=500)], Annotated[int, Field(ge=0)]], ...],
                     Field(max_length=_MOST_FILES)] = ()  # fmt: skip


class BegunAnswer(_Answer):
    """The evaluation has begun."""

    begun: Literal[True]


class EndedAnswer(_Answer):
    """The evaluation has ended; its files follow."""

    ended: Literal[True]


class Unreachable(BaseModel):
    """Something that is not there: a host, a page that the desktop's browser could not open, a Python package."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    phase: Phase
    kind: Literal["host", "page", "package"]
    name: Text


class BridgedFailure(BaseModel):
    """An exception of OSWorld's code."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    phase: Phase
    name: Text
    """The getter or the metric."""
    type: Text
    message: Text
    trace: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    missing_file: bool = False

    def __str__(self) -> str:
        """Return the exception in one line."""
        at = f" ({', '.join(self.trace)})" if self.trace else ""
        what = "getter" if self.phase in ("result", "expected") else "metric"
        return printable(f"{what} {self.name}: {self.type}: {self.message}{at}", 600)


class BridgedAnswer(_Answer):
    """What came of one check."""

    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    failure: BridgedFailure | None = None
    values: Annotated[dict[Literal["result", "expected"], JsonValue], Field(max_length=2)] = Field(default={})
    """What the getters returned, as `inside/values.py` encodes it; paths lie in the cache folder."""
    refused: Annotated[tuple[Unreachable, ...], Field(max_length=100)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=100)] = ()
    """Attributes of OSWorld's environment that were asked for and that the stand-in lacks."""
    seconds: float = 0.0


class InvalidAnswer(CheckerError):
    """An answer that makes no sense."""


A = TypeVar("A", bound=_Answer)


async def send(
    writer: asyncio.StreamWriter, message: Mapping[str, JsonValue], files: Mapping[str, bytes] | None = None
) -> None:
    """Send a message and the files that come with it."""
    files = files or {}
    sizes: list[JsonValue] = [[name, len(content)] for name, content in files.items()]
    writer.write(json.dumps({**message, "files": sizes}).encode() + b"\n")
    for content in files.values():
        for start in range(0, len(content), _PIECE):
            writer.write(content[start : start + _PIECE])
            await writer.drain()
    await writer.drain()


async def receive(reader: asyncio.StreamReader, kind: type[A]) -> tuple[A, dict[str, bytes]]:
    """Receive an answer and its files.

    Raises:
        InvalidAnswer: It is none.
        EOFError: The evaluation has ended.
    """
    try:
        line = await reader.readline()
    except ValueError as error:
        raise InvalidAnswer("OSWorld's evaluator sent too long an answer") from error
    if not line.endswith(b"\n"):
        raise EOFError
    try:
        answer = kind.model_validate_json(line)
    except ValidationError as error:
        problem = printable(describe_validation_error(error), 300)
        raise InvalidAnswer(f"OSWorld's evaluator sent an invalid answer: {problem}") from error
    if sum(size for _, size in answer.files) > _MOST_BYTES:
        raise InvalidAnswer("OSWorld's evaluator sent too many files")
    files: dict[str, bytes] = {}
    for name, size in answer.files:
        try:
            content = await reader.readexactly(size)
        except asyncio.IncompleteReadError as error:
            raise EOFError from error
        if is_cache_name(name):
            files[name] = content
    return answer, files


def is_cache_name(name: str) -> bool:
    """Whether this names a file below the cache folder."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\0" not in name and str(path) != "."
