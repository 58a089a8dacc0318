"""An episode's score, or why it has none, and its kind of task, without reading the whole record.

Every command decides by `read_state`, so that none counts what another leaves out. `result.txt` holds the score. Where
our own record lies beside it (`events.jsonl`, `episode.json`), the two must agree: an empty, unreadable or
contradicting `result.txt` makes the episode damaged, which is a reason to be unscored. Only the beginning and the end
of our files are read, whatever their size.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from typing import NamedTuple

import orjson

from trueline.records.end import Unscored
from trueline.records.pointer_files import link_fault, pointer_fault
from trueline.text import printable

UNMEASURED = "unmeasured"
RESULT_FILE = "result.txt"
REMOVED = f"{RESULT_FILE} was removed after the episode had ended; trueline run plays it again"
UNKNOWN_KIND = "the record does not say what kind of task it is, so nobody knows whether its score is success or harm"
TOLERANCE = 1e-9
"""A score this close below a threshold reaches it: 0.1 + 0.2 must pass 0.3."""
_HEAD = 32 * 1024
_TAIL = 32 * 1024
"""Bytes at the end of a file to search for its last entries."""
_LONGEST_LINE = 4 * 1024 * 1024
"""The first event holds the instruction and the setting, the last one checks and evidence."""
_LARGEST_RECORD = 256 * 1024 * 1024
"""Records in another layout are parsed as a whole up to this size."""
_CANDIDATES = 64
_NO_SCORE = re.compile(
    rf"{re.escape(RESULT_FILE)} "
    r"(?:holds (?:no number|.*, which is (?:no|not a) score)|is (?:no|not a) file|cannot|may not)"
)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class EpisodeState(NamedTuple):
    """The outcome of an episode, as its folder says."""

    score: float | None = None
    problem: str | None = None
    """Why there is no score."""
    unscored: Unscored | None = None
    """The reason, if it is one of `Unscored`."""
    kind: str | None = None
    """The task's kind; `unmeasured`: the score shows neither success nor harm. `None` without our record."""
    kind_missing: bool = False
    """Whether our record lacks the kind, so the score cannot be averaged."""
    closed: bool = False
    """Whether its files are complete."""
    ended: bool = False
    """Whether our record says how it ended."""
    removed: bool = False
    """Whether it was scored and `result.txt` was deleted since."""
    scored_by: str | None = None
    """Whose checkers scored it; `None` without our record."""

    @property
    def averaged(self) -> float | None:
        """The score, if its meaning is known."""
        return None if self.kind_missing else self.score

    @property
    def why_not_averaged(self) -> str | None:
        """Why it is left out of means."""
        return UNKNOWN_KIND if self.kind_missing and self.score is not None else self.problem


class ScoreFile(NamedTuple):
    """The content of a score file."""

    score: float | None
    problem: str | None = None


def is_success(score: float | None, threshold: float = 1.0) -> bool:
    """Whether a score reaches the threshold, up to rounding errors."""
    return score is not None and score >= threshold - TOLERANCE


def read_state(folder: str | os.PathLike[str], result_file: str = RESULT_FILE) -> EpisodeState:
    """Read the outcome of one episode's folder.

    Raises:
        PermissionError: The folder itself may not be read.
    """
    path = os.fspath(folder)
    return decide(path, read_result(path, result_file), result_file)


def read_result(folder: str, name: str) -> ScoreFile | None:
    """Read the score file; `None` if there is none.

    Raises:
        PermissionError: The folder may not be entered.
    """
    try:
        # Not blocking: a named pipe must not hold us up.
        handle = os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        broken = link_fault(f"{folder}/{name}")
        return None if broken is None else ScoreFile(None, f"{name} {broken}")
    except PermissionError:
        if not os.access(folder, os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise
        return ScoreFile(None, f"{name} may not be read")
    except OSError as error:
        return ScoreFile(None, f"{name} cannot be read ({error.strerror})")
    try:
        content = os.read(handle, 1000)
    except IsADirectoryError:
        return ScoreFile(None, f"{name} is not a file")
    except OSError as error:
        return ScoreFile(None, f"{name} cannot be read ({error.strerror})")
    finally:
        os.close(handle)
    if not content and not os.path.isfile(f"{folder}/{name}"):
        return ScoreFile(None, f"{name} is not a file")
    return ScoreFile(*parse_score(content, name))


def parse_score(content: bytes, name: str = RESULT_FILE) -> tuple[float | None, str | None]:
    """Read a score from 0 to 1; anything else gives `None` and what is wrong with it."""
    try:
        # Python also takes 1_0 for a number; a result does not.
        score = float(content) if b"_" not in content else math.nan
        if 0.0 <= score <= 1.0:
            return score, None
    except ValueError:
        pass
    text = content.decode("utf-8-sig", "replace").strip()
    if (pointer := pointer_fault(content)) is not None:
        return None, f"{name} {pointer}"
    try:
        score = float("" if "_" in text else text)
    except ValueError:
        shown = printable(text, 40)
        return None, f"{name} holds no number: {shown!r}" if text else f"{name} is empty"
    if not math.isfinite(score) or not 0.0 <= score <= 1.0:
        return None, f"{name} holds {printable(text, 40)}, which is not a score from 0 to 1"
    return score, None


def decide(folder: str, result: ScoreFile | None, result_file: str = RESULT_FILE) -> EpisodeState:
    """Decide from the score file and our own record."""
    if result is not None and result.problem is None and not _has_record(folder):
        return EpisodeState(result.score)
    events, record = _read_events(f"{folder}/events.jsonl"), _read_record(f"{folder}/episode.json")
    kind, kind_missing = _kind(events, record)
    closed = events.closed if events is not None else record is not None
    ends = [end for end in (events and events.end, record and record.end) if end is not None]
    ended = any(end.is_decided for end in ends)
    state = EpisodeState(kind=kind, kind_missing=kind_missing, closed=closed, ended=ended)
    if result is not None and result_file != RESULT_FILE:
        return state._replace(score=result.score, problem=result.problem)
    if result is not None and result.problem is not None:
        return _damaged(state, result.problem)
    if result is not None:
        if record is not None and record.broken:
            return _damaged(state, f"episode.json {record.broken}")
        for end in ends:
            if not _same_score(end.score, result.score):
                return _damaged(state, f"{RESULT_FILE} holds {result.score:g}, but the record says {end}")
        return state._replace(score=result.score, scored_by=_scored_by(ends))
    if result_file != RESULT_FILE:
        return state._replace(problem=_why_unfinished(folder, result_file))
    if len(ends) == 2 and not _same_score(ends[0].score, ends[1].score):
        return _damaged(state, f"events.jsonl says {ends[0]}, but episode.json says {ends[1]}")
    if not ends or not ends[0].is_decided:
        return state._replace(problem=_why_unfinished(folder, result_file))
    end = ends[0]
    if end.unscored is not None:
        unscored = Unscored(end.unscored) if end.unscored in _REASONS else None
        if unscored is Unscored.NO_CHECKER:
            state = state._replace(kind=UNMEASURED)
        return state._replace(problem=str(end), unscored=unscored)
    # Without episode.json as well, more was lost than a user deletes to have an episode played again.
    if closed and record is not None:
        return state._replace(problem=REMOVED, unscored=Unscored.INTERRUPTED, removed=True)
    # The process ended between its last event and the last of its files: the record stands, `recover` writes them.
    return state._replace(score=end.score, scored_by=_scored_by(ends))


def _scored_by(ends: list[_End]) -> str | None:
    """Who scored an episode of ours: before there was a choice, Trueline's own checkers."""
    return (ends[0].scored_by or "native") if ends else None


def _has_record(folder: str) -> bool:
    """Whether one of our files exists. Foreign folders have none, and testing is cheaper than an exception."""
    return os.access(f"{folder}/events.jsonl", os.F_OK) or os.access(f"{folder}/episode.json", os.F_OK)


_REASONS = frozenset(reason.value for reason in Unscored)


def _damaged(state: EpisodeState, what: str) -> EpisodeState:
    # Text that is not a score is reported verbatim, as in a folder of OSWorld.
    told = what if _NO_SCORE.match(what) else f"{Unscored.DAMAGED.value}: {what}"
    return state._replace(problem=told, unscored=Unscored.DAMAGED)


def _same_score(a: float | None, b: float | None) -> bool:
    return a == b if a is None or b is None else abs(a - b) <= TOLERANCE


class _End(NamedTuple):
    """What a record says about the end."""

    score: float | None
    unscored: str | None
    detail: str
    scored_by: str | None = None

    @property
    def is_decided(self) -> bool:
        return self.score is not None or self.unscored is not None

    def __str__(self) -> str:
        if self.score is not None:
            return f"the score {self.score:g}"
        if self.unscored is None:
            return "that it has none"
        return printable(f"{self.unscored}: {self.detail}" if self.detail else self.unscored)


class _Events(NamedTuple):
    """What events.jsonl says."""

    task: dict[str, object]
    end: _End | None
    closed: bool


class _RecordFile(NamedTuple):
    """What episode.json says."""

    task: dict[str, object]
    end: _End | None
    of_a_run: bool
    """Whether it was recorded during a run; imported records may lack the kind."""
    broken: str = ""
    """Why it cannot be read."""


def _kind(events: _Events | None, record: _RecordFile | None) -> tuple[str | None, bool]:
    """The kind from the first of our files that has it, and whether all existing ones lack it."""
    for part in (events, record):
        if part is None:
            continue
        if part.task.get("unmeasured") is True:
            return UNMEASURED, False
        kind = part.task.get("kind")
        if isinstance(kind, str):
            return kind, False
    return None, events is not None or (record is not None and record.of_a_run)


def _read_events(path: str) -> _Events | None:
    """The first and last events; `None` if there is no such file."""
    with _Ends(path) as file:
        if not file.there:
            return None
        first = as_object(file.head(_HEAD).partition(b"\n")[0])
        if not first and file.size > _HEAD:
            first = as_object(file.head(_LONGEST_LINE).partition(b"\n")[0]) or file.leading(_LONGEST_LINE)
        end, closed, whole = _last_events(file.tail(_TAIL), file.size)
        if end is None and not whole:
            end, closed, _ = _last_events(file.tail(_LONGEST_LINE), file.size)
        return _Events(as_object(first.get("task")), end, closed)


def _last_events(tail: bytes, size: int) -> tuple[_End | None, bool, bool]:
    """The end, whether the folder was closed after it, and whether the tail was long enough; skips a torn line."""
    lines = [line for line in tail.split(b"\n") if line.strip()]
    partial = len(tail) < size
    closed = False
    for line in reversed(lines[1:] if partial else lines):
        event = as_object(line)
        if event.get("event") == "closed":
            closed = True
        elif event.get("event") == "ended":
            return _end_of(event), closed, True
        elif event and event.get("event") != "problem":
            return None, False, True
    return None, closed, not partial


def _read_record(path: str) -> _RecordFile | None:
    """The parts of episode.json that matter here; `None` if there is no such file."""
    with _Ends(path) as file:
        if not file.there:
            return None
        if file.size > _LARGEST_RECORD:
            return _RecordFile({}, None, True, "is too large to be one")
        head, end = file.leading(_HEAD), _closing_fields(file.tail(_TAIL))
        if "task" not in head or end is None or (not isinstance(head.get("started"), str) and "steps" not in head):
            # Another order of keys, as other tools write it, or something large among the first or the last of them.
            head = as_object(file.head(_LARGEST_RECORD))
            if not head:
                return _RecordFile({}, None, True, "cannot be read")
            end = head
        return _RecordFile(as_object(head.get("task")), _end_of(end), isinstance(head.get("started"), str))


def _closing_fields(tail: bytes) -> dict[str, object] | None:
    """The fields from `end` on, which follow the steps in our order of keys.

    A piece of the file that begins at a key and, with a brace before it, is one whole object up to the end of the file
    can only begin at a key of the outermost object: deeper down, closing brackets would be left over.
    """
    place = len(tail)
    for _ in range(_CANDIDATES):
        place = tail.rfind(b'"end"', 0, place)
        if place < 0:
            return None
        found = as_object(b"{" + tail[place:])
        if "score" in found and "unscored" in found:
            return found
    return None


def _end_of(fields: dict[str, object]) -> _End:
    score, unscored, detail = fields.get("score"), fields.get("unscored"), fields.get("detail")
    number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
    scored_by = fields.get("scored_by")
    return _End(
        number,
        unscored if isinstance(unscored, str) else None,
        detail if isinstance(detail, str) else "",
        scored_by if isinstance(scored_by, str) else None,
    )


class _Ends:
    """Reads the two ends of a large file; anything but a regular file counts as missing."""

    def __init__(self, path: str) -> None:
        self.size = 0
        self.there = False
        self._handle = -1
        try:
            self._handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            about = os.fstat(self._handle)
        except OSError:
            return
        self.there, self.size = stat.S_ISREG(about.st_mode), about.st_size

    def __enter__(self) -> _Ends:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)

    def head(self, length: int) -> bytes:
        return self._read(length, 0)

    def tail(self, length: int) -> bytes:
        return self._read(length, max(0, self.size - length))

    def leading(self, length: int) -> dict[str, object]:
        """The first keys of an object up to `steps`, as far as their values are complete."""
        text = self.head(length).decode("utf-8", "replace")
        found: dict[str, object] = {}
        place = _past_space(text, 0)
        if text[place : place + 1] != "{":
            return found
        try:
            while text[place : place + 1] in ("{", ","):
                key, place = _DECODER.raw_decode(text, _past_space(text, place + 1))
                place = _past_space(text, place)
                if text[place : place + 1] != ":" or not isinstance(key, str):
                    break
                if key == "steps":
                    found[key] = None
                    break
                found[key], place = _DECODER.raw_decode(text, _past_space(text, place + 1))
                place = _past_space(text, place)
        except (ValueError, RecursionError):
            pass
        return found

    def _read(self, length: int, offset: int) -> bytes:
        try:
            return os.pread(self._handle, min(length, self.size - offset), offset)
        except OSError:
            return b""


def _past_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def as_object(value: object) -> dict[str, object]:
    """A JSON object from text or from a value inside one; anything else is an empty one."""
    if isinstance(value, bytes):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}  # pyright: ignore


def _why_unfinished(folder: str, result_file: str) -> str:
    """The error that OSWorld logged, or that the episode is unfinished."""
    with _Ends(f"{folder}/traj.jsonl") as file:
        last = as_object(file.tail(_TAIL).strip().rpartition(b"\n")[2]) if file.there else {}
    error = last.get("Error")
    if isinstance(error, str):
        return f"error in traj.jsonl: {printable(error)}"
    return f"unfinished: no {result_file}"
