"""Lines of a terminal read as commands, one after the other, without running anything."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from trueline.actions.shell.command import ShellCommand, ShellSession
from trueline.actions.shell.evaluate import Shell
from trueline.actions.shell.parse import comments, parse
from trueline.actions.shell.syntax import NotUnderstoodError, UnfinishedError
from trueline.actions.shell.unseen import unseen

MAX_LINE = 20_000
_MAX_ENTERED = 50
_RECALL = re.compile(r"(?:^|[\s;|&(\"}]|(?<!\$)\{)!(?:!|-?\d+|[A-Za-z?#$*^])|^\^")

_COMMENTED_OUT = re.compile(r"[;&|`]|\$\(|[<>]\(")


class Read(NamedTuple):
    """The commands of a line, and the session after it."""

    commands: tuple[ShellCommand, ...]
    session: ShellSession
    not_understood: str = ""
    """Why more may run than the commands say; empty if the line is wholly understood."""


def read_line(line: str, session: ShellSession | None = None, *, whole: bool = False) -> Read:
    """Read one line as a terminal would; an unfinished one is kept until it is complete.

    Args:
        line: The line, or a whole script.
        session: What lines before it left; None for a text that bash runs by itself.
        whole: Nothing follows, so what does not end is read as far as it goes; always so without a session.
    """
    typed = session is not None and not whole
    session = session or ShellSession()
    text = f"{session.pending}\n{line}" if session.pending else line
    if len(text) > MAX_LINE:
        return Read((unseen(text),), replace(session, pending=""), "a very long line")
    shell = Shell(session)
    if typed:
        try:
            parse(text)
            if session.interactive and any(_COMMENTED_OUT.search(comment) for comment in comments(text)):
                shell.not_known(text, "some shells read comments as commands")
        except UnfinishedError:
            return Read((), replace(session, pending=text))
        except NotUnderstoodError:
            pass  # `run` tells
    if _RECALL.search(text):
        shell.not_known(text, "the shell may put in earlier lines")
    shell.run(text, 0)
    entered = (*session.entered, line)[-_MAX_ENTERED:]
    state = shell.state
    after = ShellSession(
        state.variables,
        state.aliases,
        state.files,
        state.folder,
        "",
        entered,
        state.altered,
        state.functions,
        state.arguments,
        state.blind,
        session.interactive,
    )
    commands = tuple(replace(command, plain=False) if shell.not_understood else command for command in shell.commands)
    return Read(commands, after, shell.not_understood)


def read_python(source: str) -> tuple[ShellCommand, ...]:
    """Read a Python program as equivalent commands."""
    shell = Shell(ShellSession())
    shell.python(source, 0)
    return tuple(shell.commands)
