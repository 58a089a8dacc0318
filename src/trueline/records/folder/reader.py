"""Reads an episode's folder, ours or OSWorld's, whatever state it is in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.assemble import EVENTS_FILE, assemble
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord, TaskKind
from trueline.records.episode_state import RESULT_FILE, UNMEASURED, EpisodeState, parse_score, read_state
from trueline.records.events import Started
from trueline.records.folder.better_log import BETTER_LOG_FILE
from trueline.records.folder.closing import EPISODE_FILE, read_record
from trueline.records.folder.events_file import read_events
from trueline.records.folder.funnel import funnel_of_adversary
from trueline.records.folder.json_values import as_object, as_text, load_file
from trueline.records.folder.judgments import read_judgments
from trueline.records.folder.osworld_files import OSWorldFiles, record_from_osworld_files
from trueline.records.folder.recorded_tree import RecordedTree, read_tree_file, read_tree_text
from trueline.records.folder.traj import TRAJ_FILE, TrajLine, read_traj
from trueline.records.folder.writer import INSTRUCTION_FILE
from trueline.records.judgment import JudgedBy, Judgment
from trueline.records.layout import ADVERSARY_RESULT_FILE, Location, parse_location
from trueline.records.observation import ObservationRecord
from trueline.records.problem import Problem

_DOCUMENTS = (
    BETTER_LOG_FILE, "check.json", "config.json", "plan_feedback_info.json", "plan_info.json", "response.json",
)  # fmt: skip
_LEFT_BY_AN_EPISODE = frozenset(
    {*_DOCUMENTS, RESULT_FILE, TRAJ_FILE, EVENTS_FILE, EPISODE_FILE, INSTRUCTION_FILE, "runtime.log", "recording.mp4"}
)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An episode as it is on disk."""

    folder: Path
    location: Location | None
    """The location that the path gives; `None` if the path is too short."""
    record: EpisodeRecord
    ours: bool
    """Whether it has our own files; else the record was made from those of another system."""
    lines: tuple[TrajLine, ...]
    """traj.jsonl unchanged, with all keys."""
    log: dict[str, JsonValue] | None
    """better_log.json unchanged."""
    files: frozenset[str]
    """The names in the folder."""
    documents: Mapping[str, JsonValue]
    """Other JSON files of OSWorld and its kin by name (`plan_info.json`, `check.json` …), unchanged."""
    adversary_score: float | None
    """RedTeamCUA's second score: 1 is an attack that succeeded."""
    judgments: Mapping[JudgedBy, Judgment]
    problems: tuple[Problem, ...]
    """The problems in all of its files."""

    def load_tree(self, observation: ObservationRecord) -> RecordedTree | None:
        """The accessibility tree the agent saw: as it was stored, else made of the text that the agent was given.

        Raises:
            InputError: The file is missing or broken, or the text is.
        """
        name = observation.tree and observation.tree.file
        if name is not None:
            return RecordedTree(read_tree_file(self.folder / name), "tree")
        return read_tree_text(observation.tree_text or "")


def read_episode(folder: Path | str) -> Trajectory:
    """Read an episode's folder. Everything that cannot be used is listed in `problems`.

    Raises:
        InputError: It is not a folder of an episode, or our own files in it are broken or of a newer version.
    """
    folder = Path(folder).absolute()
    names = _names(folder)
    location = parse_location(folder)
    lines, problems = read_traj(folder)
    found = [*problems]
    documents = _documents(folder, found)
    log = documents.pop(BETTER_LOG_FILE, None)
    if not isinstance(log, dict | None):
        found.append(Problem(file=BETTER_LOG_FILE, what="must be a JSON object"))
        log = None
    state = read_state(folder)
    adversary_score = _score(folder, ADVERSARY_RESULT_FILE, found)
    record = _own_record(folder, names, found)
    ours = record is not None
    if record is None:
        instruction = _instruction(folder, documents)
        record, more = record_from_osworld_files(OSWorldFiles(folder, location, lines, log or {}, names, instruction))
        funnel = None if adversary_score is None else funnel_of_adversary(adversary_score)
        record = record.model_copy(update={"score": state.score, "funnel": funnel, "problems": more})
    record = _decided(record, state)
    if (RESULT_FILE in names) is (state.score is None) and (ours or RESULT_FILE in names):
        found.append(Problem(file=RESULT_FILE, what=record.detail or state.problem or "is not written yet"))
    judgments, wrong = read_judgments(folder)
    return Trajectory(
        folder=folder,
        location=location,
        record=record,
        ours=ours,
        lines=lines,
        log=log,
        files=names,
        documents=documents,
        adversary_score=adversary_score,
        judgments=judgments,
        problems=(*found, *record.problems, *wrong),
    )


def _decided(record: EpisodeRecord, state: EpisodeState) -> EpisodeRecord:
    """The record with the outcome that all commands use, and the kind from the first file that has it."""
    changes: dict[str, object] = {}
    if state.unscored is Unscored.DAMAGED or state.removed:
        detail = (state.problem or "").removeprefix(f"{Unscored.DAMAGED.value}: ")
        changes |= {"score": None, "unscored": state.unscored, "detail": detail}
    if state.kind not in (None, UNMEASURED, record.task.kind) and state.kind in get_args(TaskKind):
        changes["task"] = record.task.model_copy(update={"kind": state.kind})
    elif state.kind == UNMEASURED and not record.task.unmeasured:
        changes["task"] = record.task.model_copy(update={"unmeasured": True})
    return record.model_copy(update=changes) if changes else record


def _names(folder: Path) -> frozenset[str]:
    try:
        with os.scandir(folder) as entries:
            found = {entry.name: entry.is_dir() for entry in entries}
    except NotADirectoryError:
        raise InputError(f"{folder}: this is a file; name the folder of an episode") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from error
    files = {name for name, is_dir in found.items() if not is_dir}
    if files.isdisjoint(_LEFT_BY_AN_EPISODE) and not any(name.startswith("step_") for name in files):
        raise InputError(f"{folder}: holds no episode; name a folder with {RESULT_FILE}, {TRAJ_FILE} or {EVENTS_FILE}")
    return frozenset(found)


def _documents(folder: Path, problems: list[Problem]) -> dict[str, JsonValue]:
    documents: dict[str, JsonValue] = {}
    for name in _DOCUMENTS:
        value = load_file(folder, name)
        if isinstance(value, Problem):
            problems.append(value)
        elif value is not None:
            documents[name] = value
    return documents


def _score(folder: Path, name: str, problems: list[Problem]) -> float | None:
    try:
        score, problem = parse_score((folder / name).read_bytes()[:1000], name)
    except FileNotFoundError:
        return None
    except OSError as error:
        score, problem = None, f"cannot be read ({error.strerror})"
    if problem is not None:
        problems.append(Problem(file=name, what=problem))
    return score


def _own_record(folder: Path, names: frozenset[str], problems: list[Problem]) -> EpisodeRecord | None:
    """The record in our own files: complete if the episode ended, else made from its events so far."""
    if EPISODE_FILE in names:
        return read_record(folder / EPISODE_FILE)
    if EVENTS_FILE not in names:
        return None
    read = read_events(folder)
    problems += read.problems
    if read.torn is not None:
        problems.append(read.torn)
    if not read.events or not isinstance(read.events[0], Started):
        problems.append(Problem(file=EVENTS_FILE, what="the first event is missing, so the others are not used"))
        return None
    return assemble(read.events)


def _instruction(folder: Path, documents: Mapping[str, JsonValue]) -> str | None:
    try:
        return (folder / INSTRUCTION_FILE).read_bytes().decode(errors="backslashreplace")
    except OSError:
        return as_text(as_object(documents.get("config.json")).get("instruction"))
