"""What flows between commands: into a pipe, into an interpreter, into a file."""

from __future__ import annotations

import re
from typing import NamedTuple

from trueline.actions.shell.call import Call
from trueline.actions.shell.command import Does, ShellCommand
from trueline.actions.shell.programs import DECODERS, FETCHERS

_CURL_TO_FILE = re.compile(r"-[A-Za-z]*[oO]")


class CommandInput(NamedTuple):
    """The standard input of a command."""

    text: str | None = None
    sources: tuple[ShellCommand, ...] = ()
    given: bool = False
    file: str = ""


def unseen_code_kinds(sources: tuple[ShellCommand, ...]) -> set[Does]:
    """The kinds of unseen code from these sources: fetched, decoded, or from an unknown program."""
    if any(source.program in FETCHERS or "download" in source.does for source in sources):
        return {"run_remote", "hidden"}
    if any(source.program in DECODERS for source in sources):
        return {"run_decoded", "hidden"}
    return {"run_piped", "hidden"}


def joined_output(parts: list[CommandInput]) -> str | None:
    """The output of several commands, known when each of theirs is."""
    return None if any(part.text is None for part in parts) else "".join(part.text or "" for part in parts)


def fetched_files(call: Call) -> list[str]:
    """The files that a download leaves behind."""
    names = [url.partition("?")[0].rstrip("/").rpartition("/")[2] for url in call.operands if "/" in url]
    if any(re.fullmatch(r"-[A-Za-z]*O-", arg) for arg in call.args):
        return []  # wget to its output
    for at, arg in enumerate(call.args):
        if arg in ("--output", "--output-document", "--out") or _CURL_TO_FILE.fullmatch(arg):
            following = call.args[at + 1] if at + 1 < len(call.args) else ""
            if call.program == "curl" and arg.endswith("O"):
                return names
            return [] if following in ("-", "") else [following]
    return names if call.program != "curl" else []
