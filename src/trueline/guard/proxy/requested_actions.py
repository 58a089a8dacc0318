"""What a request would run, read before anything of it is sent on.

What is judged is what is sent: a request is read strictly, and the machine gets what was read, never the bytes that
came. So no second key, odd type or unknown field can mean one thing here and another there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from trueline.actions import Action, Code, Size
from trueline.actions.codecs.pyautogui import decode
from trueline.desktop.serve.commands import BashRequest, CommandRequest, PythonRequest, VerifiedRequest
from trueline.desktop.serve.replies import ReceivedRequest, Refused, read

_PREFIX = re.compile(r"import pyautogui; import time;(?: pyautogui\.FAILSAFE = False[;\n])? ?")
"""The code that OSWorld's controller, and ours, put before an agent's code."""
_PYTHONS = ("python", "python3", "/usr/bin/python", "/usr/bin/python3")
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash", "/usr/bin/sh", "/usr/bin/bash")
_QUESTIONS = ("import platform; print(platform.system())", "import platform; print(platform.machine())")
"""Queries that OSWorld's controller sends like actions; they do not come from the agent."""


class SubmittedCode(NamedTuple):
    """One piece of code."""

    source: str
    language: Literal["python", "bash"]


@dataclass(frozen=True)
class RequestedActions:
    """What a request would run."""

    programs: tuple[SubmittedCode, ...]
    document: Mapping[str, object]
    """What the machine is sent."""
    by_agent: bool = False
    """Whether it has the controller's prefix, or uses an endpoint that only agents use."""

    @property
    def is_question(self) -> bool:
        """Whether it only queries the machine."""
        return self.by_agent and [_without_prefix(program.source) for program in self.programs] in (
            [question] for question in _QUESTIONS
        )

    def actions(self, screen: Size | None) -> tuple[Action, ...]:
        """The equivalent actions; anything but a plain sequence of known input is code."""
        return tuple(action for program in self.programs for action in _actions(program, screen))


def read_requested_actions(path: str, call: ReceivedRequest) -> RequestedActions:
    """Read a request that runs something.

    Raises:
        Refused: It cannot be read.
        KeyError: Nothing runs at this path.
    """
    return _READERS[path](call)


def _execute(call: ReceivedRequest) -> RequestedActions:
    asked = read(call, CommandRequest, strict=True)
    return _of_command(asked)


def _of_command(asked: CommandRequest) -> RequestedActions:
    words = _words(asked)
    document = {**asked.model_dump(mode="json", exclude_none=True), "command": words}
    if asked.shell:
        # The first word is the shell's line, the others are its arguments.
        line = words if isinstance(words, str) else words[0] if len(words) == 1 else _line(["sh", "-c", *words])
        return RequestedActions((SubmittedCode(line, "bash"),), document)
    match words:
        case [program, "-c", source] if program in _PYTHONS:
            prefixed = _PREFIX.match(source) is not None
            return RequestedActions((SubmittedCode(source, "python"),), document, by_agent=prefixed)
        case [program, "-c", line] if program in _SHELLS:
            return RequestedActions((SubmittedCode(line, "bash"),), document)
        case _:
            return RequestedActions((SubmittedCode(_line(words), "bash"),), document)


def _words(asked: CommandRequest) -> str | list[str]:
    words = asked.command
    if isinstance(words, str) and not asked.shell:
        try:
            words = shlex.split(words)
        except ValueError as error:
            raise Refused(400, f"command: {error}") from None
    if not words or not words[0]:
        raise Refused(400, "command: must not be empty")
    return words


def _line(words: Sequence[str]) -> str:
    """The words as a shell's line; the server takes a leading `~/` for the home folder."""
    return " ".join(f"~/{shlex.quote(w[2:]) if w[2:] else ''}" if w.startswith("~/") else shlex.quote(w) for w in words)


def _verified(call: ReceivedRequest) -> RequestedActions:
    asked = read(call, VerifiedRequest, strict=True)
    wanted = _of_command(asked)
    also = asked.verification and asked.verification.command_success
    programs = (*wanted.programs, SubmittedCode(also, "bash")) if also else wanted.programs
    return RequestedActions(programs, wanted.document, wanted.by_agent)


def _python(call: ReceivedRequest) -> RequestedActions:
    asked = read(call, PythonRequest, strict=True)
    return RequestedActions((SubmittedCode(asked.code, "python"),), asked.model_dump(mode="json"), by_agent=True)


def _bash(call: ReceivedRequest) -> RequestedActions:
    asked = read(call, BashRequest, strict=True)
    # Relative paths in the script mean something else in another folder.
    script = f"cd {shlex.quote(asked.working_dir)}\n{asked.script}" if asked.working_dir else asked.script
    document = asked.model_dump(mode="json", exclude_none=True)
    return RequestedActions((SubmittedCode(script, "bash"),), document, by_agent=True)


_READERS = {
    "/execute": _execute,
    "/setup/execute": _execute,
    "/execute_with_verification": _verified,
    "/setup/execute_with_verification": _verified,
    "/setup/launch": _execute,
    "/run_python": _python,
    "/run_bash_script": _bash,
}


def _without_prefix(source: str) -> str:
    prefix = _PREFIX.match(source)
    return source[prefix.end() :] if prefix else source


def _actions(program: SubmittedCode, screen: Size | None) -> tuple[Action, ...]:
    if program.language == "bash":
        return (Code(source=program.source, language="bash", raw=program.source),)
    # Read with its prefix, which turns the fail-safe corners off; told without it.
    actions = decode(program.source, screen=screen).actions
    if actions and not any(isinstance(action, Code) for action in actions):
        return actions
    own = _without_prefix(program.source)
    return (Code(source=own, raw=own),)
