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
    "taskset": frozenset(("-p",)),
    "chrt": frozenset(("-p", "-T", "-P", "-D")),
    "flock": frozenset(("-w", "-E")),
}


# Options without a value of wrappers whose options are all known: any other may take the next word.
_PLAIN: dict[str, frozenset[str]] = {
    "nohup": frozenset(),
    "setsid": frozenset(("-c", "-f", "-w", "--ctty", "--fork", "--wait")),
    "env": frozenset(("-", "-i", "-0", "-v", "--ignore-environment", "--null", "--debug")),
    "timeout": frozenset(("-v", "-p", "-f", "--preserve-status", "--foreground", "--verbose")),
    "stdbuf": frozenset(),
    "nice": frozenset(),
    "command": frozenset(("-p", "-v", "-V")),
    "builtin": frozenset(),
    "exec": frozenset(("-c", "-l", "-cl", "-lc")),
    "time": frozenset(("-p", "-v", "--verbose", "--portability", "-a", "--append")),
    "flock": frozenset(("-s", "-x", "-e", "-u", "-n", "-o", "-F", "-v", "--shared", "--exclusive", "--nonblock")),
}
_ATTACHED = {
    "env": re.compile(r"-[uC].+|--(?:unset|chdir)=.*"),
    "timeout": re.compile(r"-[ks].+|--(?:signal|kill-after)=.*"),
    "stdbuf": re.compile(r"-[ioe].+|--(?:input|output|error)=.*"),
    "nice": re.compile(r"-n?-?\d+|--adjustment=.*"),
    "flock": re.compile(r"-[wE].+|--(?:timeout|wait|conflict-exit-code)=.*"),
}
_SPLITS = re.compile(r"-[i0v]*S(.*)|--split-string(?:=(.*))?", re.DOTALL)
_PLAIN_WORDS = re.compile(r"[\w ./:=,@%+-]*", re.ASCII)
_UNKNOWN_WORD = "$…"


class Unwrapped(NamedTuple):
    """The words of the program that matters, and whether it runs as another user."""

    words: tuple[str, ...]
    privileged: bool
    doubtful: bool = False
    """Whether an option is not known, so that another word may be the program."""
    rewritten: bool = False
    """Whether the words are no longer the last ones of those given."""


def base_name(word: str) -> str:
    """Return the program's name without its folder."""
    return word.rpartition("/")[2] if "/" in word else word


def unwrap(words: tuple[str, ...]) -> Unwrapped:
    """Skip `sudo`, `env`, `nohup` and similar programs, with their options."""
    privileged = doubtful = rewritten = False
    while words:
        name = base_name(words[0])
        rest = words[1:]
        if name == "env" and (split := _split_string(rest)) is not None:
            words, rewritten = ("env", *split), True
            continue
        if name in _TAKES_ONE:
            options = after_options(rest, _TAKES_ONE[name])
            doubtful = doubtful or _has_unknown_option(name, rest[: len(rest) - len(options)])
            rest = options[1:]
            if name == "flock" and rest[:1] in (("-c",), ("--command",)):
                words, rewritten = ("sh", *rest), True
                break
        elif name in _WRAPPERS:
            privileged = privileged or name in _PRIVILEGED
            options = after_options(rest, _WRAPPERS[name])
            doubtful = doubtful or _has_unknown_option(name, rest[: len(rest) - len(options)])
            rest = options
        else:
            break
        if not rest:
            break  # `sudo -i`, `env`: the wrapper itself is all there is
        words = rest
    return Unwrapped(words, privileged, doubtful, rewritten)


def _split_string(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """`env -S "COMMAND"`: the words with the command split; None without that option."""
    for at, word in enumerate(words):
        match = _SPLITS.fullmatch(word)
        if match is not None:
            attached = match[1] or match[2] or ""
            text, rest = (
                (attached, words[at + 1 :]) if attached else (" ".join(words[at + 1 : at + 2]), words[at + 2 :])
            )
            split = tuple(text.split(" ")) if _PLAIN_WORDS.fullmatch(text) else (_UNKNOWN_WORD,)
            return (*words[:at], *(part for part in split if part), *rest)
        if not word.startswith("-") and not _ASSIGNMENT.match(word):
            return None
    return None


def _has_unknown_option(name: str, words: tuple[str, ...]) -> bool:
    """Whether among the skipped words there is an option that may take a value, as far as all are known."""
    if name not in _PLAIN:
        return False
    with_value = _WRAPPERS.get(name, _TAKES_ONE.get(name, frozenset[str]()))
    at = 0
    while at < len(words):
        word = words[at]
        if word in with_value:
            at += 1
        elif word.startswith("-") and word != "--" and word not in _PLAIN[name]:
            attached = _ATTACHED.get(name)
            if attached is None or not attached.fullmatch(word):
                return True
        at += 1
    return False


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
