"""What bash runs must be among what the shell reader finds: `python benchmarks/guard/shell_reader/against_bash.py`.

Generated lines run in real bash inside the sandbox, with programs that log their name and arguments. A run is missed if
the reader says that the line is wholly known and names no such command. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from shell_lines import MARKERS, make_broken_line, make_line

from trueline.actions.shell.command import UNSEEN, ShellCommand, ShellSession
from trueline.actions.shell.interpret import Read, read_line
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.types import Desktop

DRIVER = Path(__file__).with_name("run_inside.py")
BATCH = 500
_UNKNOWN = ("$", "<(", "*", "~", "?", "[", "`")


@dataclass(frozen=True)
class Outcome:
    """One line: what bash ran, and what of it the reader did not find."""

    line: str
    ran: tuple[tuple[str, ...], ...]
    missed: tuple[tuple[str, ...], ...]
    found: int
    """How many of the commands that ran the reader names."""
    not_understood: str
    """Why the line is not wholly known; empty if it is."""


def outcome(line: str, ran: Sequence[Sequence[str]], *, typed: bool = False) -> Outcome:
    """Compare what ran with what the reader says of the text, or of its lines as they are typed one after the other."""
    commands, reason = _typed(line) if typed else _whole(line)
    runs = tuple(tuple(run) for run in ran)
    missed = tuple(run for run in runs if not any(_is(command, run) for command in commands))
    return Outcome(line, runs, () if reason else missed, len(runs) - len(missed), reason)


def _whole(text: str) -> tuple[Sequence[ShellCommand], str]:
    read = read_line(text)
    return read.commands, why_not_known(read)


def _typed(text: str) -> tuple[Sequence[ShellCommand], str]:
    session, commands, reason = ShellSession(), list[ShellCommand](), ""
    for line in text.split("\n"):
        read = read_line(line, session)
        session, reason = read.session, reason or why_not_known(read)
        commands += read.commands
    return commands, reason or ("unfinished at the end" if session.pending else "")


def why_not_known(read: Read) -> str:
    """Why more may run than the commands say; empty if all of it is known."""
    if read.not_understood:
        return read.not_understood
    if any(command.does & UNSEEN for command in read.commands):
        return "runs code that is not known"
    return ""


def _is(command: ShellCommand, run: tuple[str, ...]) -> bool:
    """Whether this is the command that ran; where a word is not certain, any words will do."""
    if command.program != run[0]:
        return False
    certain = not any(mark in word for word in command.words for mark in _UNKNOWN)
    return command.words[1:] == run[1:] if certain else True


async def run_lines(desktop: Desktop, lines: Sequence[str]) -> list[list[list[str]]]:
    """Run lines inside a desktop; return what each ran, name and arguments."""
    await desktop.put("shell_reader/run_inside.py", DRIVER)
    found: list[list[list[str]]] = []
    for start in range(0, len(lines), BATCH):
        batch = lines[start : start + BATCH]
        await desktop.put("shell_reader/lines.json", json.dumps({"markers": MARKERS, "lines": batch}).encode())
        result = await desktop.run(
            ("python3", "run_inside.py"), cwd="/home/user/shell_reader", time_limit=60.0 + 2.0 * len(batch)
        )
        if result.returncode:
            raise RuntimeError(result.stderr.decode("utf-8", "replace"))
        found += json.loads(await desktop.get("shell_reader/ran.json"))
    return found


async def measure(seeds: range, make: Callable[[int], str] = make_line) -> dict[str, object]:
    """Run the lines of these seeds and compare."""
    lines = [make(seed) for seed in seeds]
    async with LocalDesktop(LocalOptions(width=800, height=600)) as desktop:
        ran = await run_lines(desktop, lines)
    began = time.perf_counter()
    outcomes = [outcome(line, runs) for line, runs in zip(lines, ran, strict=True)]
    seconds = time.perf_counter() - began
    typed = [outcome(line, runs, typed=True) for line, runs in zip(lines, ran, strict=True)]
    missed = [found for found in (*outcomes, *typed) if found.missed]
    unknown = [found for found in outcomes if found.not_understood]
    return {
        "lines": len(lines),
        "lines that ran something": sum(bool(found.ran) for found in outcomes),
        "commands run by bash": sum(len(found.ran) for found in outcomes),
        "commands named by the reader": sum(found.found for found in outcomes),
        "lines with a missed command": len({found.line for found in missed}),
        "lines not wholly known": len(unknown),
        "lines not understood": len(
            [found for found in unknown if found.not_understood != "runs code that is not known"]
        ),
        "reading, ms per line": round(seconds / len(lines) * 1000, 2),
        "reasons": dict(Counter(found.not_understood for found in unknown).most_common()),
        "missed": [{"line": found.line, "commands": found.missed} for found in missed[:20]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000, help="number of lines")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first line")
    parser.add_argument("--broken", action="store_true", help="put a few characters in, take some out")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.lines)
    print(json.dumps(asyncio.run(measure(seeds, make_broken_line if options.broken else make_line)), indent=1))


if __name__ == "__main__":
    main()
