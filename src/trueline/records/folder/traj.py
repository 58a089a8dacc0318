"""traj.jsonl: one line per executed action, as OSWorld writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from trueline.actions import CallUser, Done, Fail
from trueline.records.episode import EpisodeRecord
from trueline.records.events import Started
from trueline.records.folder.action_text import encode_action
from trueline.records.folder.json_values import as_number, as_text, load
from trueline.records.pointer_files import link_fault, pointer_fault
from trueline.records.problem import Problem
from trueline.records.step import ActionResult, Step

TRAJ_FILE = "traj.jsonl"
_STAMP = re.compile(r"\d{8}@\d{6}(\d{6})?")
_SCREENSHOT = re.compile(r"step_(\d{1,9})_(\d{8}@\d{6}(?:\d{6})?)\.png")


@dataclass(frozen=True, slots=True)
class TrajLine:
    """One line of the file, with all keys in their order."""

    number: int
    """Number of the line, counted from 1."""
    data: dict[str, JsonValue]

    @property
    def step(self) -> int | None:
        """The agent's step, counted from 1; several lines may share it."""
        return as_number(self.data.get("step_num"))

    @property
    def time(self) -> datetime | None:
        """When the action was sent; the files name no zone."""
        return parse_stamp(as_text(self.data.get("action_timestamp")) or "")

    @property
    def error(self) -> str | None:
        """What the runner wrote instead of an action when it failed."""
        return None if "Error" not in self.data else str(self.data["Error"])


_OUTPUT_TAIL = 2000
"""Characters of what failed code printed; a traceback ends with what happened."""


def read_traj(folder: Path) -> tuple[tuple[TrajLine, ...], tuple[Problem, ...]]:
    """Read traj.jsonl; a line that is broken becomes a problem with its number, the others are kept."""
    lines: list[TrajLine] = []
    problems: list[Problem] = []
    try:
        content = (folder / TRAJ_FILE).read_bytes()
    except FileNotFoundError:
        broken = link_fault(folder / TRAJ_FILE)
        return (), () if broken is None else (Problem(file=TRAJ_FILE, what=broken),)
    except OSError as error:
        return (), (Problem(file=TRAJ_FILE, what=f"cannot be read ({error.strerror})"),)
    if (pointer := pointer_fault(content)) is not None:
        return (), (Problem(file=TRAJ_FILE, what=pointer),)
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        value = load(raw, TRAJ_FILE, number)
        if isinstance(value, Problem):
            problems.append(value)
        elif isinstance(value, dict):
            lines.append(TrajLine(number, value))
        else:
            text = raw.decode(errors="backslashreplace")
            problems.append(Problem(file=TRAJ_FILE, line=number, what="not a JSON object", raw=text))
    return tuple(lines), tuple(problems)


def dump_lines(lines: Iterable[dict[str, JsonValue]]) -> bytes:
    """The bytes that OSWorld writes: one object per line, ASCII, a space after commas and colons."""
    return b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines)


def traj_lines(record: EpisodeRecord) -> list[dict[str, JsonValue]]:
    """The lines of a whole episode; one that could not be scored ends with OSWorld's `Error` line."""
    space = action_space(record)
    lines = [line for step in record.steps for line in step_lines(step, space)]
    if record.unscored is not None:
        lines.append(error_line(record))
    return lines


def action_space(record: EpisodeRecord | Started) -> str:
    """The vocabulary in which the record's actions are written for OSWorld's readers."""
    named = as_text(record.params.get("action_space"))
    return named or (record.setting.action_space if record.setting else "pyautogui")


def step_lines(step: Step, space: str) -> list[dict[str, JsonValue]]:
    """The lines of one step."""
    return [_line(step.number, result, space) for result in step.results]


def error_line(record: EpisodeRecord) -> dict[str, JsonValue]:
    """The last line of an episode that could not be scored."""
    detail = f": {record.detail}" if record.detail else ""
    return {"Error": f"{record.unscored} in {record.task.domain}/{record.task.id}{detail}"}


def _line(number: int, result: ActionResult, space: str) -> dict[str, JsonValue]:
    info: dict[str, JsonValue] = {}
    if isinstance(result.action, Done):
        info["done"] = True
    elif isinstance(result.action, Fail | CallUser):
        info["fail"] = True
    over = bool(info)
    if result.error is not None:
        info |= _crash(result)
    time = "" if result.time is None else stamp(result.time)
    file = result.screenshot.file if result.screenshot else None
    named = parse_screenshot_name(file or "")
    return {
        "step_num": number,
        "action_timestamp": named[1] if named else time,
        "action": encode_action(result.action, space),
        "reward": 0,
        "done": over,
        "info": info,
        # OSWorld's readers require a name even if no picture was stored; they accept a missing file.
        "screenshot_file": file or f"step_{number}_{time}.png",
    }


def _crash(result: ActionResult) -> dict[str, JsonValue]:
    """Why an action failed: the reason, and for code its exit and the end of its output."""
    crash: dict[str, JsonValue] = {"error": result.error}
    if result.returncode is not None:
        crash["returncode"] = result.returncode
    if result.output:
        crash["output"] = result.output[-_OUTPUT_TAIL:]
    return crash


def crash_lines(step: Step) -> list[str]:
    """The same for people, one text for each failed action of a step."""
    failed = [result for result in step.results if result.error is not None]
    return [
        f"step {step.number}: {result.error}" + (f": {result.output[-_OUTPUT_TAIL:].strip()}" if result.output else "")
        for result in failed
    ]


def stamp(time: datetime, *, micro: bool = False) -> str:
    """A time as OSWorld writes it in lines and file names."""
    return time.strftime("%Y%m%d@%H%M%S%f" if micro else "%Y%m%d@%H%M%S")


def parse_stamp(text: str) -> datetime | None:
    """The time a stamp says, without a zone; `None` if it is none."""
    match = _STAMP.fullmatch(text)
    try:
        return match and datetime.strptime(text, "%Y%m%d@%H%M%S%f" if match[1] else "%Y%m%d@%H%M%S")  # noqa: DTZ007
    except ValueError:
        return None


def parse_screenshot_name(name: str) -> tuple[int, str] | None:
    """Step and stamp of `step_<n>_<stamp>.png`."""
    match = _SCREENSHOT.fullmatch(name)
    return (int(match[1]), match[2]) if match else None
