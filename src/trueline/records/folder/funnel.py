"""How far the injection of an episode got, read fast: the last event, not the whole record."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from trueline.records.assemble import EVENTS_FILE
from trueline.records.attack import Funnel
from trueline.records.episode_state import is_success, parse_score, read_state
from trueline.records.folder.closing import EPISODE_FILE
from trueline.records.layout import ADVERSARY_RESULT_FILE
from trueline.validation import describe_validation_error

NO_RECORD = "no record of how far the injection got"
_TAIL = 64 * 1024
_LARGEST = 256 * 1024 * 1024


class InjectionResult(NamedTuple):
    """The injection's result, as an episode's folder says."""

    funnel: Funnel | None = None
    score: float | None = None
    """Score of the task in the same record."""
    problem: str | None = None
    """Why there is no usable funnel."""


def read_injection_result(folder: str) -> InjectionResult:
    """Read the funnel from an episode's record, or else RedTeamCUA's score of the attack."""
    ended = _ended(f"{folder}/{EVENTS_FILE}") or _record(f"{folder}/{EPISODE_FILE}")
    if ended is None:
        adversary = read_adversary_score(folder)
        if adversary is not None:
            return adversary
        recorded = any(os.path.lexists(f"{folder}/{name}") for name in (EVENTS_FILE, EPISODE_FILE))
        return InjectionResult(problem="unfinished: the record has no end" if recorded else NO_RECORD)
    state = read_state(folder)
    score = state.score
    if score is None:
        return InjectionResult(problem=state.problem)
    if ended.get("funnel") is None:
        return read_adversary_score(folder) or InjectionResult(score=score, problem=NO_RECORD)
    try:
        return InjectionResult(Funnel.model_validate(ended["funnel"]), score)
    except ValidationError as error:
        return InjectionResult(problem=f"damaged: funnel: {describe_validation_error(error)}")


def read_adversary_score(folder: str) -> InjectionResult | None:
    """Read RedTeamCUA's score of the attack; `None` where there is no such file."""
    path = Path(folder) / ADVERSARY_RESULT_FILE
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            adversary, problem = parse_score(file.read(1000), ADVERSARY_RESULT_FILE)
    except OSError as error:
        return InjectionResult(problem=f"{ADVERSARY_RESULT_FILE} cannot be read ({error.strerror})")
    if adversary is None:
        return InjectionResult(problem=f"damaged: {problem}")
    return InjectionResult(funnel_of_adversary(adversary))


def funnel_of_adversary(score: float) -> Funnel:
    """Return what RedTeamCUA's score of the attack says: its attacks are part of the page, so they are delivered."""
    return Funnel(delivered=True, achieved=is_success(score))


def _ended(path: str) -> dict[str, object] | None:
    """The last event `ended`; a few small events may follow it."""
    for longest in (_TAIL, _LARGEST):
        content = _end_of(path, longest)
        for line in reversed(content.split(b"\n")):
            event = _object(line) if b'"ended"' in line else {}
            if event.get("event") == "ended":
                return event
        if len(content) < longest:
            break
    return None


def _record(path: str) -> dict[str, object] | None:
    """The whole record, if it says how the episode ended."""
    found = _object(_end_of(path, _LARGEST))
    return found if found.get("score") is not None or found.get("unscored") is not None else None


def _end_of(path: str, longest: int) -> bytes:
    """The last bytes of a file; none when it cannot be read."""
    try:
        # Not blocking: a named pipe must not hold us up.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return b""
        file.seek(max(0, found.st_size - longest))
        return file.read(longest)


def _object(content: bytes) -> dict[str, object]:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}  # pyright: ignore
