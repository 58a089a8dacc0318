"""The paths, addresses and hosts a command names."""

from __future__ import annotations

import re

from trueline.actions.facts.mentions import mentions
from trueline.actions.shell.call import Call
from trueline.actions.shell.command import Does, ShellCommand
from trueline.actions.shell.file_access import file_access
from trueline.actions.shell.paths import looks_like_path, normal_path
from trueline.actions.shell.programs import FETCHERS, LOGINS, TAKES_PATHS

_AT_FILE = re.compile(r"(?:[^=@\s]*=)?@(?P<path>[^\s]+)")
_BARE_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?=[:/]|$)")
_KEY_PATH = re.compile(r"(?:--?[\w-]+|if|of)=(?P<path>[/~.].*)", re.DOTALL)


def with_operands(words: tuple[str, ...], call: Call, kinds: frozenset[Does], *, plain: bool) -> ShellCommand:
    """Make the `ShellCommand` of a call, with the paths, addresses and hosts it names."""
    named = mentions(words)
    itself = [word for word in words[:1] if looks_like_path(word)]
    paths = [normal_path(path, call.folder) for path in (*itself, *_paths(call), *call.written, *call.read)]
    logins = call.program in LOGINS
    return ShellCommand(
        words,
        call.program,
        kinds,
        tuple(dict.fromkeys(paths)),
        *file_access(call),
        (*named.urls, *(word for word in words if word.lower().startswith("mailto:"))),
        named.hosts or _bare_hosts(call),
        () if logins else named.emails,
        plain,
    )


def _bare_hosts(call: Call) -> tuple[str, ...]:
    """Hosts without a scheme, which a program that fetches takes too."""
    if call.program not in FETCHERS:
        return ()
    return tuple(match[0] for word in call.operands if (match := _BARE_HOST.match(word)))


def _paths(call: Call) -> list[str]:
    operands = call.operands
    if call.program == "find":
        operands = operands[: next((at for at, arg in enumerate(call.args) if arg.startswith("-")), len(operands))]
    deletes = call.program == "rsync" and any(arg.startswith("--del") for arg in call.args)
    if deletes and ":" not in "".join(operands[-1:]):
        operands = operands[-1:]  # what it copies from is not touched
    found = [
        word
        for word in operands
        if "://" not in word and (looks_like_path(word) or call.program in TAKES_PATHS) and not _AT_FILE.fullmatch(word)
    ]
    for arg in call.args:
        match = (
            _AT_FILE.fullmatch(arg)
            if call.program in ("curl", "wget", "http", "https", "xh")
            else _KEY_PATH.fullmatch(arg)
        )
        if match and match["path"] != "-":
            found.append(match["path"])
    return found
