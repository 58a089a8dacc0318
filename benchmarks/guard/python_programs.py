"""Compares what generated Python programs really do with what is read from their source.

    python benchmarks/guard/python_programs.py --programs 3000 --seed 1

Everything that a program did must be among the effects found, or something in it must be called not understood. A
program with nothing to find wrong counts as read whole. Programs run only on loopback and in a folder of their own.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import posixpath
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from python_grammar import Grammar

from trueline.actions.python.effects import UNKNOWN
from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.interpret import read_python

_KINDS = {"read": ("reads", "writes", "deletes"), "write": ("writes",), "delete": ("deletes",)}


class Outcome(NamedTuple):
    """What came of one program."""

    program: str
    missed: tuple[tuple[str, ...], ...]
    """What it did and nothing tells; empty if the program is called not understood."""
    understood: bool
    done: int


def compare(program: str, done: Sequence[Sequence[str]]) -> Outcome:
    """Compare what was read with what was done."""
    commands = read_python(program)
    understood = not any("hidden" in command.does for command in commands)
    missed = tuple(tuple(event) for event in done if not _found(event, commands)) if understood else ()
    return Outcome(program, missed, understood, len(done))


def _found(event: Sequence[str], commands: Sequence[ShellCommand]) -> bool:
    kind, *things = event
    if kind == "run":
        return any(_same_words(command.words, things) for command in commands)
    if kind == "connect":
        return any(things[0] in word or UNKNOWN in word for command in commands for word in command.words)
    return any(
        _covers(path, things[0], deep=kind == "delete" or command.words[:2] == ("ls", "-R"))
        for command in commands
        for name in _KINDS[kind]
        for path in getattr(command, name)
    )


def _same_words(words: Sequence[str], ran: Sequence[str]) -> bool:
    return (
        len(words) == len(ran)
        and posixpath.basename(words[0]) == ran[0]
        and all(UNKNOWN in word or word == given for word, given in zip(words[1:], ran[1:], strict=True))
    )


def _covers(path: str, place: str, *, deep: bool) -> bool:
    """Whether a path as read stands for a place in the program's home."""
    pattern = posixpath.normpath(path.replace(UNKNOWN, "*"))
    pattern = pattern.removeprefix("~/") if pattern != "~" else "."
    if pattern.startswith(("*", ".*")):
        return True
    return fnmatch.fnmatchcase(place, pattern) or (deep and fnmatch.fnmatchcase(place, pattern + "/*"))


def observe(programs: Sequence[str], folder: Path) -> list[list[list[str]]]:
    """Run programs for real."""
    script = Path(__file__).with_name("python_observed.py")
    done = subprocess.run(
        [sys.executable, script, folder], input=json.dumps(list(programs)), text=True, capture_output=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(count: int, seed: int) -> list[Outcome]:
    """Make so many programs, run them and compare."""
    programs = [Grammar(seed * 1_000_003 + number).program() for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        done = observe(programs, Path(folder))
    return [compare(program, events) for program, events in zip(programs, done, strict=True)]


def main() -> int:
    """Print the figures; the exit code is 1 if something was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="how many programs with something missed to print")
    given = parser.parse_args()
    began = time.perf_counter()
    outcomes = measure(given.programs, given.seed)
    missed = [outcome for outcome in outcomes if outcome.missed]
    for outcome in missed[: given.show]:
        print(f"--- missed {outcome.missed}\n{outcome.program}")
    acted = [outcome for outcome in outcomes if outcome.done]
    whole = sum(outcome.understood for outcome in acted)
    print(
        f"{len(outcomes)} programs, {len(acted)} of them did something, {sum(o.done for o in acted)} effects; "
        f"{whole} of those {len(acted)} understood wholly; missed: {len(missed)} programs "
        f"({time.perf_counter() - began:.0f} s)"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
