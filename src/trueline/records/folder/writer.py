"""Writes an episode's folder while it runs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import JsonValue

from trueline.errors import InputError
from trueline.records.assemble import EVENTS_FILE
from trueline.records.episode import EpisodeRecord
from trueline.records.events import Closed, Ended, Event, Started, Stepped
from trueline.records.folder.checker_files import CheckerEvidence, write_evidence
from trueline.records.folder.closing import finish_folder
from trueline.records.folder.events_file import dump_event
from trueline.records.folder.files import LineFile, make_folder, sync_folder, write_file
from trueline.records.folder.store import EventRedactor, StoreLevel
from trueline.records.folder.traj import TRAJ_FILE, action_space, crash_lines, dump_lines, stamp, step_lines
from trueline.records.observation import Observation, ObservationRecord, StoredFile, sha256
from trueline.records.step import Step
from trueline.records.text_line import plain_text
from trueline.records.tree import linearise
from trueline.text import printable

INSTRUCTION_FILE = "instruction.txt"
TASK_FILE = "config.json"
LOG_FILE = "runtime.log"


class EpisodeWriter:
    """Records one episode; when a call returns, its data is on disk.

    The order in a step: `keep_observation`, `keep_screenshot` after each action, then `step`. Other events go to
    `append` at any time. `finish` closes the episode; without it the folder stays unfinished, for `recover` or
    `move_aside`.
    """

    def __init__(self, folder: Path, started: Started, *, store: StoreLevel = StoreLevel.ALL) -> None:
        """Make the folder and write the first event.

        Raises:
            InputError: The folder is there already.
            DiskFullError: There is no room.
        """
        self.folder = folder
        self._redactor = EventRedactor(store)
        self._space = action_space(started)
        self._steps = 0
        self._taken: set[str] = set()
        self._screenshot = StoredFile()
        self._tree = StoredFile()
        try:
            make_folder(folder)
        except FileExistsError:
            raise InputError(f"{folder}: already exists; move it aside before you run the episode again") from None
        write_file(folder / INSTRUCTION_FILE, started.instruction.encode(errors="backslashreplace"))
        # By rename, so that there never is an events.jsonl without its first event.
        write_file(folder / EVENTS_FILE, dump_event(started))
        sync_folder(folder)
        self._events = LineFile(folder / EVENTS_FILE)
        self._traj = LineFile(folder / TRAJ_FILE)
        self._log = LineFile(folder / LOG_FILE)

    def keep_observation(self, observation: Observation) -> ObservationRecord:
        """Store what the agent is about to see; a screen that is already stored is not stored again."""
        screenshot, tree = self._screenshot, self._tree
        png, xml, lines = observation.png(), observation.tree_xml, observation.lines
        if png is None:
            screenshot = None
        elif screenshot.digest != sha256(png):
            screenshot = self.keep_screenshot(png, step=self._steps, time=observation.time)
        if xml is None:
            tree = None
        elif tree.digest != sha256(xml.encode()):
            tree = self._tree = self._keep(xml.encode(), ".xml.gz", self._steps, observation.time)
        return self._redactor.observation(
            ObservationRecord(
                digest=observation.digest,
                time=observation.time,
                screenshot=screenshot,
                tree=tree,
                tree_scope=observation.tree_scope,
                partial=observation.partial,
                tree_text=None if observation.tree is None else linearise(observation.tree),
                text=None if lines and observation.text == plain_text(lines) else observation.text,
                terminal=observation.terminal,
                lines=lines,
                windows=observation.windows,
            )
        )

    def keep_screenshot(self, png: bytes, *, step: int, time: datetime) -> StoredFile:
        """Store the screen after an action of a step; `time` is that of the action and becomes part of the name."""
        self._screenshot = self._keep(png, ".png", step, time)
        return self._redactor.file(self._screenshot)

    def step(self, step: Step, *, time: datetime | None = None) -> None:
        """Record a whole step; once this returns, no crash loses it.

        Raises:
            ValueError: The steps of an episode are numbered 1, 2, 3 …
            DiskFullError: There is no room; all earlier steps are intact.
        """
        if step.number != self._steps + 1:
            raise ValueError(f"step {step.number} cannot follow step {self._steps}")
        event = self._redactor.event(Stepped(time=time or datetime.now(UTC), step=step))
        sync_folder(self.folder)  # the names of the screenshots it refers to
        self._events.append(dump_event(event))
        self._steps = step.number
        assert isinstance(event, Stepped), "redacting keeps the kind of an event"
        self._traj.append(dump_lines(step_lines(event.step, self._space)), sync=False)
        for line in crash_lines(event.step):
            self.log(line)

    def append(self, event: Event) -> None:
        """Record an event that is not a step and not the end: a narrative, a late verdict, an error, a retry.

        Raises:
            DiskFullError: There is no room; everything before is intact.
        """
        if isinstance(event, Started | Stepped | Ended | Closed):
            raise ValueError(f"an event of the kind {event.event} is written by a method of its own")
        self._events.append(dump_event(self._redactor.event(event)))

    def keep_evidence(self, evidence: CheckerEvidence, contents: Mapping[str, bytes]) -> None:
        """Keep what the checker compared, so that the episode can be scored again; a later call replaces it.

        Nothing is kept where screens and typed text are not.

        Raises:
            DiskFullError: There is no room.
        """
        if self._redactor.store is StoreLevel.ALL:
            write_evidence(self.folder, evidence, contents)

    def keep_task(self, document: JsonValue) -> None:
        """Keep the task as it was played, as RedTeamCUA does; not where screens and typed text are not kept.

        Raises:
            DiskFullError: There is no room.
        """
        if self._redactor.store is StoreLevel.ALL:
            write_file(self.folder / TASK_FILE, json.dumps(document, indent=4).encode())

    def log(self, message: str) -> None:
        """Add a line to runtime.log, for people."""
        text = printable(self._redactor.prose(message), limit=20_000)
        self._log.append(f"[{datetime.now(UTC):%Y-%m-%d %H:%M:%S}] {text}\n".encode(), sync=False)

    def finish(self, ended: Ended) -> EpisodeRecord:
        """Record the end and write the whole files, `result.txt` last and only if the episode was scored; close it.

        Raises:
            DiskFullError: There is no room; `recover` finishes the folder once there is.
        """
        self._events.append(dump_event(self._redactor.event(ended)))
        self.close()
        return finish_folder(self.folder)

    def close(self) -> None:
        """Close the files without ending the episode."""
        for file in (self._events, self._traj, self._log):
            file.close()

    def _keep(self, content: bytes, suffix: str, step: int, time: datetime) -> StoredFile:
        digest = sha256(content)
        if self._redactor.store is not StoreLevel.ALL:
            return StoredFile(digest=digest)
        name = self._free_name(suffix, step, time)
        packed = gzip.compress(content, compresslevel=1, mtime=0) if suffix.endswith(".gz") else content
        write_file(self.folder / name, packed)
        self._taken.add(name)
        return StoredFile(file=name, digest=digest)

    def _free_name(self, suffix: str, step: int, time: datetime) -> str:
        """`step_0.png` for the first screen, then `step_<n>_<time>.png`; in the same second with microseconds."""
        name = f"step_0{suffix}" if step == 0 else f"step_{step}_{stamp(time)}{suffix}"
        while name in self._taken:
            name = f"step_{step}_{stamp(time, micro=True)}{suffix}"
            time += timedelta(microseconds=1)
        return name
