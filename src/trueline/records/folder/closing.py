"""Closing an episode's folder: the whole files made from its events, at the end or after a crash."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.records.assemble import EVENTS_FILE, assemble
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord
from trueline.records.episode_state import RESULT_FILE
from trueline.records.events import Closed, Ended, Event, Noted, Started
from trueline.records.folder.better_log import BETTER_LOG_FILE, better_log, dump_better_log
from trueline.records.folder.events_file import dump_event, read_events, refuse_newer
from trueline.records.folder.files import LineFile, remove_temporary, sync_folder, write_file
from trueline.records.folder.traj import TRAJ_FILE, dump_lines, traj_lines
from trueline.records.layout import ADVERSARY_CHECK, ADVERSARY_RESULT_FILE
from trueline.records.pointer_files import NotFetchedError, pointer_fault, unreadable
from trueline.validation import describe_validation_error

EPISODE_FILE = "episode.json"


def finish_folder(folder: Path) -> EpisodeRecord:
    """Write the whole files of an ended episode from its events: `result.txt` last, and only if it was scored.

    Then a last event says that it is closed: `result.txt` may from now on be missing only because it was deleted.
    """
    read = read_events(folder)
    record = assemble(read.events)
    record = record.model_copy(update={"problems": (*record.problems, *read.problems)})
    _put(folder / TRAJ_FILE, dump_lines(traj_lines(record)))
    _put(folder / BETTER_LOG_FILE, dump_better_log(better_log(record)))
    _put(folder / EPISODE_FILE, dump_episode(record))
    attacked = next((check.passed for check in record.checks if check.name == ADVERSARY_CHECK), None)
    if attacked is not None and record.score is not None:
        _put(folder / ADVERSARY_RESULT_FILE, f"{float(not attacked)}\n".encode())
    sync_folder(folder)
    if record.score is not None:
        _put(folder / RESULT_FILE, f"{record.score}\n".encode())
        sync_folder(folder)
        if not any(isinstance(event, Closed) for event in read.events):
            close_folder(folder)
    return record


def close_folder(folder: Path) -> None:
    """Append the event that says that the files of a scored episode are complete.

    Raises:
        DiskFullError: There is no room; the episode is whole without it.
    """
    path = folder / EVENTS_FILE
    line = dump_event(Closed(time=datetime.now(UTC)))
    with path.open("rb") as file:
        file.seek(-1, 2)
        whole = file.read() == b"\n"
    if not whole:
        # An earlier try to close it was cut off.
        write_file(path, read_events(folder).whole + line)
        sync_folder(folder)
        return
    events = LineFile(path)
    try:
        events.append(line)
    finally:
        events.close()


def recover(folder: Path) -> EpisodeRecord:
    """Close the folder of an episode whose process is gone; safe to repeat.

    If it had ended, what was still to be written is written. If not, it ends as unscored, interrupted, at the time
    of its last event; a line that the crash cut off is kept as a problem.

    Raises:
        InputError: There are no events to recover from; such a folder can only be moved aside.
    """
    if not (folder / EVENTS_FILE).exists():
        raise InputError(f"{folder}: has no {EVENTS_FILE}, so nothing can be recovered; move it aside and run it again")
    read = read_events(folder)
    if not read.events or not isinstance(read.events[0], Started):
        raise InputError(f"{folder / EVENTS_FILE}: the first event is missing; move the folder aside and run it again")
    last = read.events[-1].time
    added: list[Event] = []
    if not any(isinstance(event, Ended) for event in read.events):
        # After the end only the line that closes the episode can be cut off, and that is written again.
        added += [] if read.torn is None else [Noted(time=last, problem=read.torn)]
        added.append(Ended(time=last, unscored=Unscored.INTERRUPTED))
    _put(folder / EVENTS_FILE, read.whole + b"".join(dump_event(event) for event in added))
    remove_temporary(folder)
    return finish_folder(folder)


def dump_episode(record: EpisodeRecord) -> bytes:
    """episode.json as bytes, ASCII for the same reason as events."""
    return json.dumps(record.model_dump(mode="json"), separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def read_record(path: Path) -> EpisodeRecord:
    """Read episode.json.

    Raises:
        InputError: It cannot be read, is broken, or was written by a newer version.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if (pointer := pointer_fault(content)) is not None:
        raise NotFetchedError(f"{path}: {pointer}")
    try:
        data = json.loads(content)
        refuse_newer(path, data)
        return EpisodeRecord.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error


def _put(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        write_file(path, content)
