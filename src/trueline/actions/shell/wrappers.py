"""Programs that run another program: skipped, so that the one that matters is seen."""

from __future__ import annotations

import re
from typing import NamedTuple

_PRIVILEGED = frozenset({"sudo", "doas", "pkexec"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")

# Name -> options that take a value of their own.
_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset(("-u", "-g", "-p", "-C", "-h", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group")),
    "doas": frozenset(("-u", "-C")),
    "pkexec": frozenset(("--user",)),
    "env": frozenset(("-u", "-C", "--unset", "--chdir")),
    "nice": frozenset(("-n", "--adjustment")),
    "ionice": frozenset(("-c", "-n", "-p")),
    "stdbuf": frozenset(("-i", "-o", "-e")),
    "exec": frozenset(("-a",)),
    "xvfb-run": frozenset(("-s", "-n")),
    "strace": frozenset(("-e", "-o", "-p")),
    "setpriv": frozenset(),
    "chrt": frozenset(("-p",)),
    "taskset": frozenset(("-c", "-p")),
    "watch": frozenset(("-n", "--interval")),
    "parallel": frozenset(("-j", "--jobs", "-N", "-n", "-I")),
    "systemd-run": frozenset(("-p", "--property", "-u", "--unit", "-M", "-H")),
    "unshare": frozenset(),
    "proot": frozenset(("-r", "-b", "-w")),
    **dict.fromkeys((
        "command", "builtin", "nohup", "setsid", "time", "busybox", "toybox", "unbuffer", "chronic", "flatpak-spawn",
        "firejail", "dbus-run-session", "fakeroot", "prlimit", "nsenter", "eatmydata", "torsocks", "proxychains",
    ), frozenset()),
}  # fmt: skip

# The same for those that have one word of their own before the program.
_TAKES_ONE: dict[str, frozenset[str]] = {
    "timeout": frozenset(("-k", "-s", "--signal", "--kill-after")),
    "chroot": frozenset(),
    "flock": frozenset(("-w", "-E")),
}


class Unwrapped(NamedTuple):
    """The words of the program that matters, and whether it runs as another user."""

    words: tuple[str, ...]
    privileged: bool


def base_name(word: str) -> str:
    """Return the program's name without its folder."""
    return word.rpartition("/")[2] if "/" in word else word


def unwrap(words: tuple[str, ...]) -> Unwrapped:
    """Skip `sudo`, `env`, `nohup` and similar programs, with their options."""
    privileged = False
    while words:
        name = base_name(words[0])
        rest = words[1:]
        if name in _TAKES_ONE:
            rest = after_options(rest, _TAKES_ONE[name])[1:]
        elif name in _WRAPPERS:
            privileged = privileged or name in _PRIVILEGED
            rest = after_options(rest, _WRAPPERS[name])
        else:
            break
        if not rest:
            break  # `sudo -i`, `env`: the wrapper itself is all there is
        words = rest
    return Unwrapped(words, privileged)


def after_options(words: tuple[str, ...], with_value: frozenset[str]) -> tuple[str, ...]:
    """Skip options, their values and assignments."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 :]
        if word in with_value:
            at += 2
        elif word.startswith("-") or _ASSIGNMENT.match(word):
            at += 1
        else:
            break
    return words[at:]
