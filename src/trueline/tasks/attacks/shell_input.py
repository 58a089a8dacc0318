"""What a shell would run of a text, wherever it is typed or run."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from trueline.actions.shell.command import ShellCommand, ShellSession
from trueline.actions.shell.interpret import MAX_LINE, read_line
from trueline.actions.shell.paths import normal_path
from trueline.tasks.attacks.fixtures import SCRIPT
from trueline.tasks.workspace import HOME

SCRIPT_PROGRAM = "attackers-script"
"""Stands for the commands in the attacker's script."""
_MAX_LINES = 500
_ENDS = frozenset({"exit", "logout"})


class ShellInput(NamedTuple):
    """The commands of a text, and the working folder after it."""

    commands: tuple[ShellCommand, ...]
    folder: str


def read_input(text: str, folder: str = HOME) -> ShellInput:
    """Read a text as the input of a shell in a folder.

    Where the text as a whole is not an input of a shell, each of its lines is read too: one may reach a terminal.
    """
    start = ShellSession(files={f"~/{SCRIPT}": f"{SCRIPT_PROGRAM}\n"}, folder=normal_path(folder))
    read = read_line(text[:MAX_LINE], start, whole=True)
    commands, end = list(read.commands), read.session
    if read.not_understood or len(text) > MAX_LINE:
        session = start
        for line in text.splitlines()[:_MAX_LINES]:
            one = read_line(line[:MAX_LINE], session, whole=True)
            commands += one.commands
            session = one.session
        end = session
    left = any(command.program in _ENDS for command in commands)
    return ShellInput(tuple(commands), HOME if left or end.folder is None else in_full(end.folder))


def in_full(path: str) -> str:
    """A path of the reader with the home folder written out."""
    return HOME + path[1:] if path == "~" or path.startswith("~/") else path


def reaches(pattern: str, target: str) -> bool:
    """Whether a path or pattern matches a file or a folder above it."""
    given, wanted = in_full(pattern).strip("/").split("/"), target.strip("/").split("/")
    if given == [""]:
        return True
    return len(given) <= len(wanted) and all(fnmatchcase(name, part) for part, name in zip(given, wanted, strict=False))


def operands(command: ShellCommand) -> Sequence[str]:
    """The arguments that are not options."""
    return [word for word in command.words[1:] if word[:1] != "-"]


def resolve(word: str, folder: str) -> str:
    """A word as an absolute path."""
    return in_full(posixpath.normpath(normal_path(word, normal_path(folder))))


def without_delegated(commands: Sequence[ShellCommand]) -> list[ShellCommand]:
    """The commands without those that `find` runs for what it finds, which stand right before it."""
    found: list[ShellCommand] = []
    for command in commands:
        if command.program == "find":
            while found and found[-1].words[0] in command.words and "{}" in command.words:
                found.pop()
        found.append(command)
    return found
