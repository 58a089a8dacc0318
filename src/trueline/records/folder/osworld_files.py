"""Reads folders that OSWorld, OS-Harm or the reliability study wrote, without our files, as a typed record.

What they do not say stays `None`; what does not fit together is a problem, never a guess in silence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from trueline.actions import Action, Done, Fail
from trueline.records.attack import Attack
from trueline.records.end import End
from trueline.records.episode import EpisodeError, EpisodeRecord, TaskRef
from trueline.records.folder.action_text import decode_action, pending_checks
from trueline.records.folder.better_log import BETTER_LOG_FILE
from trueline.records.folder.json_values import as_list, as_number, as_object, as_text, finite, plain_name
from trueline.records.folder.traj import TRAJ_FILE, TrajLine, parse_screenshot_name
from trueline.records.layout import Location
from trueline.records.observation import ObservationRecord, StoredFile
from trueline.records.problem import Problem
from trueline.records.proposal import Proposal
from trueline.records.step import ActionResult, Attempt, Step


@dataclass(frozen=True, slots=True)
class OSWorldFiles:
    """The files of another system in an episode's folder."""

    folder: Path
    location: Location | None
    lines: tuple[TrajLine, ...]
    log: dict[str, JsonValue]
    """better_log.json, empty when there is none."""
    names: frozenset[str]
    """Names of the files in the folder."""
    instruction: str | None


def record_from_osworld_files(files: OSWorldFiles) -> tuple[EpisodeRecord, tuple[Problem, ...]]:
    """Make the record of such a folder; the score is read elsewhere."""
    return _Builder(files).build()


@dataclass(slots=True)
class _Builder:
    files: OSWorldFiles
    problems: list[Problem] = field(default_factory=list[Problem])
    missing: set[str] = field(default_factory=set[str])
    """Screenshots already reported as missing."""

    def build(self) -> tuple[EpisodeRecord, tuple[Problem, ...]]:
        log = self.files.log
        for key, kind in {"params": dict, "task": dict, "steps": list}.items():
            if log and not isinstance(log.get(key), kind):
                self.note(BETTER_LOG_FILE, f"{key} is missing or of a wrong type")
        params, task = as_object(log.get("params")), as_object(log.get("task"))
        if finite(params) != params:
            self.note(BETTER_LOG_FILE, "params: NaN or infinity is read as null")
        steps = self.steps(as_list(log.get("steps")))
        errors = [line for line in self.files.lines if line.error is not None]
        location = self.files.location
        folder = self.files.folder
        domain, name = location.unit[:2] if location else (folder.parent.name, folder.name)
        attack = self.attack(task)
        record = EpisodeRecord(
            task=TaskRef(domain=domain, id=name, kind="injection" if attack and attack.vector else None),
            attack=attack,
            repeat=location.run if location else None,
            params=as_object(finite(params)),
            instruction=as_text(task.get("instruction")) or self.files.instruction,
            steps=steps,
            end=None if errors else _end(steps, as_number(params.get("max_steps"))),
            errors=tuple(EpisodeError(where="runner", message=line.error or "") for line in errors),
        )
        return record, tuple(self.problems)

    def note(self, file: str, what: str, line: int | None = None) -> None:
        self.problems.append(Problem(file=file, line=line, what=what))

    def attack(self, task: dict[str, JsonValue]) -> Attack | None:
        location = self.files.location
        injection = as_object(finite(task.get("injection")))
        logged = (as_text(injection.get("type")), as_text(injection.get("goal_id")))
        named = (location.unit.vector, location.unit.goal) if location else (None, None)
        vector, goal = named if all(named) else logged
        if all(named) and all(logged) and named != logged:
            self.note(
                BETTER_LOG_FILE, f"task.injection is {logged[0]}, {logged[1]}, but the folder's name says otherwise"
            )
        jailbreak = task.get("jailbreak") is True or (location is not None and location.jailbreak)
        if vector is None or goal is None:
            return Attack(jailbreak=True) if jailbreak else None
        config = {key: value for key, value in injection.items() if key not in ("content", "goal_id")}
        content = as_text(injection.get("content"))
        return Attack(vector=vector, goal=goal, jailbreak=jailbreak, content=content, config=config)

    def steps(self, entries: Sequence[JsonValue]) -> tuple[Step, ...]:
        by_step = self.lines_by_step()
        if entries:
            for number in sorted(by_step.keys() - range(1, len(entries) + 1)):
                self.note(TRAJ_FILE, f"step {number} is not in {BETTER_LOG_FILE}", by_step[number][0].number)
        steps: list[Step] = []
        seen = self.first_screenshot()
        for number in sorted({*by_step, *range(1, len(entries) + 1)}):
            lines = by_step.get(number, [])
            entry = self.entry(entries, number)
            results = tuple(result for line in lines for result in self.results(line))
            observation = self.observation(entry, seen)
            attempts = self.attempts(number, entry, lines, results)
            steps.append(Step(number=number, observation=observation, attempts=attempts, results=results))
            seen = next((r.screenshot for r in reversed(results) if r.screenshot and r.screenshot.file), seen)
        return tuple(steps)

    def entry(self, entries: Sequence[JsonValue], number: int) -> dict[str, JsonValue] | None:
        """What better_log.json says of a step."""
        if not 1 <= number <= len(entries):
            return None
        value = entries[number - 1]
        if not isinstance(value, dict):
            self.note(BETTER_LOG_FILE, f"steps.{number - 1} is not an object")
        return as_object(value)

    def lines_by_step(self) -> dict[int, list[TrajLine]]:
        grouped: dict[int, list[TrajLine]] = {}
        last = 0
        for line in self.files.lines:
            if line.error is not None:
                continue
            step = line.step
            if step is None or step < 0:
                self.note(TRAJ_FILE, f"step_num is missing or not a number; taken as step {last}", line.number)
                step = last
            elif step < last:
                self.note(TRAJ_FILE, f"step {step} after step {last}: two runs in one file?", line.number)
            grouped.setdefault(step, []).append(line)
            last = step
        return grouped

    def results(self, line: TrajLine) -> list[ActionResult]:
        """One line may contain code with several actions; its screenshot is the one after the last."""
        actions = self.decoded(line.data.get("action"), TRAJ_FILE, line.number)
        shot = self.screenshot(line.data.get("screenshot_file"), TRAJ_FILE, line.number)
        last = len(actions) - 1
        return [
            ActionResult(action=action, time=line.time, screenshot=shot if place == last else None)
            for place, action in enumerate(actions)
        ]

    def decoded(self, value: JsonValue | None, file: str, line: int | None) -> tuple[Action, ...]:
        if value is None:
            self.note(file, "there is no action", line)
            return ()
        actions, trouble = decode_action(value)
        if trouble:
            self.note(file, trouble, line)
        return actions

    def attempts(
        self,
        number: int,
        entry: dict[str, JsonValue] | None,
        lines: Sequence[TrajLine],
        results: tuple[ActionResult, ...],
    ) -> tuple[Attempt, ...]:
        actions = tuple(result.action for result in results)
        values = [line.data.get("action") for line in lines]
        if entry is None:
            raw = next((text for line in lines if (text := _response(line.data)) is not None), None)
        else:
            raw = _response(entry)
            executed, values = values, as_list(entry.get("actions"))
            if values != executed:
                # What was proposed and what was executed differ: the run broke off, or not all of it was run.
                where = f"steps.{number - 1}.actions"
                if lines:
                    self.note(BETTER_LOG_FILE, f"{where}: differ from what {TRAJ_FILE} says was executed")
                actions = tuple(a for value in values for a in self.decoded(value, BETTER_LOG_FILE, None))
        checks = tuple(check for value in values for check in pending_checks(value))
        proposal = Proposal(id=str(number), actions=actions, raw=raw, safety_checks=checks)
        return (Attempt(proposal=proposal, ran=bool(results) or not actions),)

    def first_screenshot(self) -> StoredFile | None:
        """OSWorld and OS-Harm write `step_0.png`, RedTeamCUA adds the time."""
        for name in sorted(self.files.names):
            if name == "step_0.png" or (name.startswith("step_0_") and name.endswith(".png")):
                return StoredFile(file=name)
        return None

    def observation(self, entry: dict[str, JsonValue] | None, seen: StoredFile | None) -> ObservationRecord | None:
        if entry is None:
            return None if seen is None else ObservationRecord(screenshot=seen)
        screenshot = self.screenshot(entry.get("screenshot_file"), BETTER_LOG_FILE, None)
        return ObservationRecord(screenshot=screenshot, tree_text=as_text(entry.get("a11y_tree")))

    def screenshot(self, value: JsonValue | None, file: str, line: int | None) -> StoredFile | None:
        """The picture that a file names, if it is there."""
        if value is None:
            return None
        name = plain_name(value)
        if name is None:
            self.note(file, "screenshot_file does not name a file of this folder", line)
            return None
        if name in self.files.names:
            return StoredFile(file=name)
        other = self.same_stamp(name)
        if name not in self.missing:
            self.missing.add(name)
            instead = f"; {other} has the same time and is taken instead" if other else ""
            self.note(file, f"{name} is missing{instead}", line)
        return StoredFile(file=other)

    def same_stamp(self, name: str) -> str | None:
        """After a step without an action OS-Harm names the next screen by the new number and the old time."""
        named = parse_screenshot_name(name)
        if named is None:
            return None
        number, time = named
        earlier = (f"step_{n}_{time}.png" for n in range(number - 1, max(number - 100, 0), -1))
        return next((candidate for candidate in earlier if candidate in self.files.names), None)


def _response(data: dict[str, JsonValue]) -> str | None:
    """The model's answer; Agent S3 calls it `plan`."""
    value = data.get("response", data.get("plan"))
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _end(steps: Sequence[Step], max_steps: int | None) -> End | None:
    """How it ended, as far as the last action or the limit shows."""
    last = steps[-1].results[-1].action if steps and steps[-1].results else None
    if isinstance(last, Done):
        return End.DONE
    if isinstance(last, Fail):
        return End.REFUSED if last.refused else End.FAIL
    return End.STEP_LIMIT if max_steps and steps and steps[-1].number >= max_steps else None
