"""Lines of a terminal read as commands, one after the other, without running anything."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from trueline.actions.shell.command import Session, ShellCommand
from trueline.actions.shell.evaluate import Shell, unseen
from trueline.actions.shell.lex import lex

MAX_LINE = 20_000
_MAX_ENTERED = 50


class Read(NamedTuple):
    """The commands of a line, and the session after it."""

    commands: tuple[ShellCommand, ...]
    session: Session


def read_line(line: str, session: Session | None = None) -> Read:
    """Read one line as a terminal would; an unfinished one is kept until it is complete."""
    session = session or Session()
    text = f"{session.pending}\n{line}" if session.pending else line
    if len(text) > MAX_LINE:
        return Read((unseen(text),), replace(session, pending=""))
    if not lex(text).complete or text.rstrip().endswith(("|", "&&", "||")):
        return Read((), replace(session, pending=text))
    shell = Shell(session)
    shell.run(text, 0)
    entered = (*session.entered, line)[-_MAX_ENTERED:]
    after = Session(shell.variables, shell.aliases, shell.files, shell.folder, "", entered, shell.altered)
    return Read(tuple(shell.commands), after)


def read_python(source: str) -> tuple[ShellCommand, ...]:
    """Read a Python program as equivalent commands."""
    shell = Shell(Session())
    shell.python(source, 0)
    return tuple(shell.commands)
