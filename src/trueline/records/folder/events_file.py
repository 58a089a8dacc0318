"""events.jsonl: written line by line, read whatever state a crash left it in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.records.assemble import EVENTS_FILE
from trueline.records.episode import SCHEMA_VERSION
from trueline.records.events import EVENT, Event
from trueline.records.pointer_files import NotFetchedError, pointer_fault, unreadable
from trueline.records.problem import Problem
from trueline.text import printable
from trueline.validation import describe_validation_error


@dataclass(frozen=True, slots=True)
class EventsRead:
    """What events.jsonl holds."""

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    """Lines that could not be read."""
    whole: bytes
    """The file up to its last complete line, ending with a newline."""
    torn: Problem | None
    """The last line, if a crash cut it off."""


def dump_event(event: Event) -> bytes:
    """One line. ASCII: unlike UTF-8, escapes can hold the broken Unicode that models send."""
    return (
        json.dumps(EVENT.dump_python(event, mode="json"), separators=(",", ":"), allow_nan=False).encode("ascii")
        + b"\n"
    )


def read_events(folder: Path) -> EventsRead:
    """Read all complete lines; a broken one becomes a problem, a cut-off last one is returned separately.

    Raises:
        InputError: The file was written by a newer version, or cannot be read.
    """
    path = folder / EVENTS_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if (pointer := pointer_fault(content)) is not None:
        raise NotFetchedError(f"{path}: {pointer}")
    *lines, tail = content.split(b"\n")
    events: list[Event] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        event = _event(path, line, number)
        if isinstance(event, Problem):
            problems.append(event)
        else:
            events.append(event)
    whole, torn = content, None
    if tail:
        # An object is cut off unless its last brace is there, so a line that lacks only its newline is whole.
        event = _event(path, tail, len(lines) + 1)
        if isinstance(event, Problem):
            whole, torn = content[: -len(tail)], event.model_copy(update={"what": "the last line was cut off"})
        else:
            whole = content + b"\n"
            events.append(event)
    return EventsRead(tuple(events), tuple(problems), whole, torn)


def _event(path: Path, line: bytes, number: int) -> Event | Problem:
    data: object = None
    try:
        data = json.loads(line)
        event = EVENT.validate_python(data)
    except ValidationError as error:
        what = f"not an event: {describe_validation_error(error)}"
    except (ValueError, RecursionError) as error:
        what = f"not JSON: {error}"
    else:
        refuse_newer(path, data)
        return event
    refuse_newer(path, data)
    return Problem(file=EVENTS_FILE, line=number, what=printable(what), raw=line.decode(errors="backslashreplace"))


def refuse_newer(path: Path, data: object) -> None:
    """Raise an InputError for a file whose schema this version does not know."""
    match data:
        case {"schema_version": int(version)} if version > SCHEMA_VERSION:
            raise InputError(
                f"{path}: has schema version {version}; this Trueline reads up to {SCHEMA_VERSION}; upgrade it"
            )
        case _:
            pass
