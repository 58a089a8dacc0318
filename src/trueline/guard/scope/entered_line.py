"""Whether a line that was typed with unknown focus reads as a command.

Text that ends in Enter goes to search fields, cells and chats too. Only a line that has the shape of a command, of a
program that exists and with arguments such a program takes, is held for one.
"""

from __future__ import annotations

import re

from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.command_kinds import KNOWN
from trueline.actions.shell.programs import FETCHERS, INSTALL_WORDS, INTERPRETERS, LOGINS, TAKES_PATHS, names

KNOWN_PROGRAMS = KNOWN | FETCHERS | INTERPRETERS | LOGINS | TAKES_PATHS | frozenset(INSTALL_WORDS) | names(
    "ls echo printf grep awk sed sudo export mkdir df du ps top env id whoami uname hostname ping dig nslookup tar zip "
    "unzip gzip mount crontab make gcc java git ssh diff sort wc seq xargs pwd"
)  # fmt: skip
_ENGLISH = names(
    "age at batch cat code convert cut date defaults dir docker echo emacs fetch file find fish go head history host "
    "http https ip install install join kill less link links mail make more mount mutt node open patch ping ps reboot "
    "sendmail service shutdown sort source split start su tail tee test time top touch tr transfer trash tree unlink "
    "pass bw op lt bore ruby lua users view wait watch who write xset croc wormhole print script tidy yes ."
)
"""Programs whose names are words: such a line needs an argument that only a command has."""
_OF_COMMANDS_ONLY = re.compile(
    r"^(?:-{1,2}[A-Za-z][\w-]*(?:=.*)?|~?/[\w.~@+/*-]+|\.{1,2}/\S*|\$\(?\w+\)?|\w+=\S+|[\w.-]+@[\w.-]+|https?://\S+|@\S+)$"
)
_PROCESS = re.compile(r"%?\d{1,7}")
_SENTENCE = re.compile(r"[A-Za-z']+(?:[ ,][A-Za-z']+){4,}[.!?]?$")


def reads_as_command(command: ShellCommand, line: str) -> bool:
    """Tell whether a line is meant for a shell."""
    if command.does & {"exhaust", "fork_bomb"}:
        return True
    program = command.program
    if not program or program not in KNOWN_PROGRAMS:
        return bool(command.writes) and command.words == () and line.strip().startswith(">")
    if _SENTENCE.fullmatch(line.strip()):
        return False
    arguments = command.words[1:]
    if program in _ENGLISH or not arguments:
        marked = any(_OF_COMMANDS_ONLY.match(word) for word in arguments)
        ends = program == "kill" and bool(arguments) and all(_PROCESS.fullmatch(word) for word in arguments)
        return marked or ends or bool(command.writes) or any(sign in line for sign in ("|", "&&", ";", ">", "<(", "$("))
    return True
