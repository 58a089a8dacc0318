"""The effects of a proposal, from the operations that the policy stage read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from trueline.actions.shell.command import Does, ShellCommand
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.programs import FETCHERS, INTERPRETERS, SHELLS
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.globs import matches
from trueline.guard.policy.operations import Addressed, EpisodeEnd, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.screen.labels import Act
from trueline.guard.scope.command_effects import (
    is_secret,
    is_unknown_program,
    kinds_by_words,
    named_secrets,
    opens_shell,
    shows_variables,
)
from trueline.guard.scope.entered_line import KNOWN_PROGRAMS, reads_as_command
from trueline.guard.scope.known_files import KnownFiles, targets
from trueline.guard.scope.place import covers
from trueline.guard.scope.types import Access, EffectKind, ProposalEffect
from trueline.guard.scope.vocabulary import vocabulary

_OF_COMMANDS: dict[Does, EffectKind] = {
    "wipe_disk": "wipe_disk",
    "schedule": "schedule",
    "persist": "schedule",
    "privilege": "privilege",
    "open_permissions": "change_permissions",
    "change_permissions": "change_permissions",
    "upload": "upload",
    "post": "upload",
    "download": "download",
    "send_mail": "send",
    "remote_shell": "remote_control",
    "fork_bomb": "control_processes",
    "disable_security": "disable_protection",
    "install": "install",
    "uninstall": "install",
    "account": "account",
    "shutdown": "control_processes",
    "kill": "control_processes",
    "control_services": "control_processes",
    "change_settings": "change_settings",
    "run_file": "run_programs",
    "run_decoded": "run_fetched_code",
    "run_remote": "run_fetched_code",
    "encrypt": "delete_permanently",
    "hide_traces": "delete_permanently",
    "exhaust": "exhaust_resources",
    "serve": "share",
    "read_secrets": "read_secrets",
    "run_piped": "run_programs",
    "run_code": "run_other_code",
    "open_firewall": "disable_protection",
    "capture_screen": "capture_screen",
}
_OF_PRESSES: dict[Act, EffectKind] = {
    "delete_account": "account",
    "reset_device": "wipe_disk",
    "transfer_money": "pay",
    "pay": "pay",
    "remote_control": "remote_control",
    "disable_protection": "disable_protection",
    "export_secrets": "read_secrets",
    "enable_macros": "run_programs",
    "grant_access": "share",
    "share_public": "share",
    "install": "install",
    "uninstall": "install",
    "run": "run_programs",
    "delete_forever": "delete_permanently",
    "encrypt": "delete_permanently",
    "start_later": "schedule",
    "stop_service": "control_processes",
    "shut_down": "control_processes",
    "change_login": "account",
    "forward_mail": "send",
    "send": "send",
}
_TO_A_HOST = frozenset({"upload", "post", "download", "remote_shell", "run_remote"})
_LOOKS_ONLY = frozenset(
    {"ls", "ll", "dir", "stat", "test", "[", "file", "du", "touch", "mkdir", "cd", "chmod", "chown"}
)
"""Programs that say nothing of what stands in a secret file."""
_CHOSEN_SOURCE = re.compile(r"://|git\+|\s(?:-i|--(?:extra-)?index|--find-links|-f|--source|--registry|--repo)|\s[~./]")
"""A package that does not come from the usual registry."""
_LOOK_UP = frozenset({"nslookup", "dig", "host", "ping", "getent", "resolvectl"})
_IN_A_NAME = re.compile(r"\$\(?…?\)?[^/]*\.\w")
_IN_AN_ADDRESS = re.compile(r"^\w+://[^/$]*[^$]*(?:\$\(|\$…|\?[^$]*\$|\{\})|^\w+://\$\(")
_SHELL_STARTS = re.compile(r"^~/\.(?:bashrc|bash_profile|profile|zshrc)$|(?:^|/)bin/activate$")
"""What a shell reads when it starts anyway, or to enter an environment."""
_OTHER_USERS = frozenset({"su", "sudo", "doas", "pkexec", "newgrp", "runuser"})
"""Programs that only give another user's rights to what follows."""
_NOBODY_ELSES = re.compile(r"(?:-\w+ +)*(?:%\w*|\$!|[1-9]\d{2,6})(?: +(?:%\w*|\$!|[1-9]\d{2,6}))*")
"""Jobs of the terminal, and single processes by number: which programs they are is not known."""
_LOOK_UP_PROCESSES = frozenset({"pgrep", "pidof"})
_RUNS = frozenset({"-exec", "-execdir"})
_OTHERWISE = frozenset({"-o", "-or", "-not", "!", ",", "("})
"""Words with which `find` takes more than the names that it is given."""
_ASKS_NOTHING = re.compile(r"sudo(?: -[vklKn]+)+")
_BUILT = re.compile(
    r"\b(?:exec|eval|compile|__import__|getattr|globals|b(?:16|32|64|85)\w*|base64|binascii|fromhex|unhexlify|codecs"
    r"|rot_?13|decode|chr|bytes|bytearray|join|reversed|replace|translate|marshal|pickle|zlib|gzip|subprocess|popen\w*"
    r"|system|spawn\w*|exec[vl]\w*|pty|ctypes|socket|urllib\w*|requests|httpx|http|ftplib|smtplib|pack)\b|::-1"
    r"|\\\\x[0-9a-fA-F]{2}",
    re.IGNORECASE,
)
"""Words of a program that builds what it runs, runs other programs, or talks to the network: what of it is hidden is
not what a task's own script hides."""
_RUNS_OTHERS = re.compile(
    r"\bsystem\s*\(|\|\s*getline|\bprint\w*\b[^|]*\|\s*[\"']|-exec|\bexecute\b|:!|--eval|--checkpoint-action"
)
"""How programs that are no interpreters run what they are told: awk, tar, find, editors."""
_OTHERS_RIGHTS = re.compile(r"\s0?[2-7][0-7]{3}\b|\s[ugoa]*[+=][rwxXt]*s")
"""Modes with which a program runs with its owner's rights."""
_GRANTS_RIGHTS = re.compile(
    r"^/etc/(?:sudoers|pam\.d/|polkit-1/|ld\.so\.|security/|group$|gshadow$|passwd$|shadow$|doas\.conf|modules-load)"
    r"|^/usr/share/polkit-1/|^/proc/sys|^/sys/|^/var/run/docker\.sock|^/run/docker\.sock|/security/pam_\w*\.so"
)
"""Files that say who may do what."""
_MAKES_RUNNABLE = re.compile(r"\s[0-7]*[1357][0-7]*\b|\s[ugoa]*[+=][rwst]*[xX]|--reference")
"""Modes that let a file be run."""
_PIP = frozenset({"pip", "pip3", "pipx", "conda", "uv"})
_SYSTEM_INSTALLERS = frozenset({"apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "pacman", "apk", "brew"})
_VERSION = re.compile(r"[=<>!~\[]")
_FILE_OF_PACKAGES = re.compile(r"^[\w./-]*requirements[\w.-]*\.txt$|^\.$")
_PATH_IN_CODE = re.compile(r"(?:~|/)[\w.+@*-]+(?:/[\w.+@*-]+)*")
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - addresses of this machine


def effects_of(
    operations: Iterable[Operation], past: Iterable[Operation] = (), known: KnownFiles | None = None
) -> tuple[ProposalEffect, ...]:
    """Return what the operations of a proposal would bring about, without duplicates.

    Args:
        operations: What the proposal does.
        past: What earlier steps did: files that the agent wrote itself are its own to delete and to run.
        known: What was known about files before that.
    """
    known = known or KnownFiles()
    for one in past:
        known = known.after(one.command) if isinstance(one, Ran) else known
    operations = tuple(operations)
    found: dict[ProposalEffect, None] = {}
    for place, one in enumerate(operations):
        found |= dict.fromkeys(_effects(one, known, operations[:place], operations[place + 1 : place + 2]))
        known = known.after(one.command) if isinstance(one, Ran) else known
    return tuple(found)


def _effects(
    operation: Operation, known: KnownFiles, before: tuple[Operation, ...], after: tuple[Operation, ...]
) -> Iterator[ProposalEffect]:
    """The effects of one operation.

    Args:
        operation: What is done.
        known: What is known about files by then.
        before: The operations of the same proposal before it.
        after: The one after it: of `find … -exec rm {} +`, the `find` comes after what it runs.
    """
    match operation:
        case Ran():
            yield from _of_command(operation, known, before, after)
        case Pressed():
            yield from _of_press(operation)
        case Opened():
            for host in hosts_of(operation.url):
                yield ProposalEffect("visit", host, "action", operation.certain, within=operation.url)
        case Addressed():
            if not operation.restates:
                yield ProposalEffect("send", operation.address, "envelope", operation.certain)
        case Typed():
            if operation.into is not None and operation.into.app:
                yield ProposalEffect("use", operation.into.app, "screen", operation.certain)
        case EpisodeEnd():
            yield ProposalEffect("end_task")
        case _:
            return


def _of_press(operation: Pressed) -> Iterator[ProposalEffect]:
    target = operation.target
    if target is not None and target.app:
        yield ProposalEffect("use", target.app, "screen", operation.certain)
    if operation.act is not None and (kind := _OF_PRESSES.get(operation.act)) is not None:
        certain = operation.certain and not operation.by_ocr
        yield ProposalEffect(kind, "", "screen", certain, within=str(operation))


def _of_command(
    operation: Ran, known: KnownFiles, before: tuple[Operation, ...], after: tuple[Operation, ...]
) -> Iterator[ProposalEffect]:
    command = operation.command
    entered = operation.unseen and reads_as_command(command, operation.line)
    usual = _usual(command, known)

    def effect(kind: EffectKind | Access, resource: str = "", *, routine: bool = False) -> ProposalEffect:
        return ProposalEffect(
            kind, resource, "command", operation.certain, entered, operation.line, routine=routine or kind in usual
        )

    yield effect("run_commands", command.program)
    for does in sorted(command.does):
        kind = _OF_COMMANDS.get(does)
        if kind is None:
            continue
        if does == "kill":
            ended = _processes(command, before)
            yield effect(kind, ended, routine=bool(_NOBODY_ELSES.fullmatch(ended)))
            continue
        if does in _TO_A_HOST and command.hosts and _LOCAL.issuperset(command.hosts):
            continue
        resources = command.addresses if does == "send_mail" else command.hosts if does in _TO_A_HOST else ()
        for resource in resources or (" ".join(command.words[1:]) if kind == "control_processes" else "",):
            yield effect(kind, resource)
    if "upload" not in command.does and takes_data_along(command):
        for host in command.hosts or ("",):
            yield effect("upload", host)
    secret = dict.fromkeys((*secret_files(command), *_secrets_in_code(command, operation.line)))
    yield from (effect("read_secrets", path) for path in secret)
    yield from (effect(kind, _sought(command)) for kind in sorted(_by_words(command, before)))
    lasting = bool(command.does & {"schedule", "persist"})
    yield from (effect("read", path) for path in command.reads)
    written = targets(command)
    # What is written to start later is an effect of its own, whatever file holds it.
    for path in () if lasting else written:
        new = known.may_be_new(path, command.program) or (command.program == "chmod" and known.is_made(path))
        part = "change_permissions" if "change_permissions" in command.does else None
        yield replace(effect("write", path, routine=new), part_of=part)
    for path in command.deletes:
        rebuilt = _is_rebuilt(command, path, after)
        gone = effect("delete", path, routine=rebuilt or known.is_own(path))
        yield replace(gone, moved_to=_moved_to(command, written))
    if "hidden" in command.does and (command.program in INTERPRETERS or _RUNS_OTHERS.search(command.text)):
        plain = command.program not in SHELLS and _BUILT.search(f"{command.text} {operation.line}") is None
        yield effect("run_programs", command.program, routine=plain)
    if command.does & {"delete", "delete_recursive"} and not command.deletes:
        yield effect("delete")


def _sought(command: ShellCommand) -> str:
    """The name of the files that `find` looks for, as a path in an unknown folder."""
    names = (name for option, name in pairwise(command.words) if option in ("-name", "-iname"))
    return f"/{next(names, '')}" if command.program == "find" else ""


def _by_words(command: ShellCommand, before: tuple[Operation, ...]) -> set[EffectKind]:
    """Kinds of effects that no table of the shell's reader has."""
    previous = next((one.command for one in reversed(before) if isinstance(one, Ran)), None)
    found: set[EffectKind] = set(kinds_by_words(command))
    if opens_shell(command):
        found.add("open_shell")
    if "change_permissions" in command.does and _OTHERS_RIGHTS.search(command.text):
        found.add("grant_privilege")
    if any(_GRANTS_RIGHTS.search(path) for path in command.writes):
        found.add("grant_privilege")
    if shows_variables(command, previous):
        found.add("read_secrets")
    if is_unknown_program(command):
        found.add("run_programs")
    return found


def _processes(command: ShellCommand, before: tuple[Operation, ...]) -> str:
    """What a command ends: where another command looks the processes up by name, the names."""
    words = " ".join(command.words[1:])
    if "$" not in words:
        return words
    asked = (one.command for one in before if isinstance(one, Ran) and one.command.program in _LOOK_UP_PROCESSES)
    return " ".join(word for found in asked for word in found.words[1:] if not word.startswith("-")) or words


def _moved_to(command: ShellCommand, written: tuple[str, ...]) -> str:
    """Where a command leaves what it takes away, if that is one place that a person sees."""
    place = written[0] if command.program == "mv" and len(set(map(posixpath.dirname, written))) == 1 else ""
    return "" if place.startswith(("/tmp", "/var/tmp", "/dev")) or "/." in place else place  # noqa: S108 - prefixes


def _is_rebuilt(command: ShellCommand, path: str, after: tuple[Operation, ...]) -> bool:
    """Whether what is deleted is made again by whatever made it."""
    words = vocabulary()
    runs_it = (one.command for one in after if isinstance(one, Ran) and not _RUNS.isdisjoint(one.command.words))
    for find in (command, *runs_it):
        if find.program == "find" and path in find.deletes:
            named = [name for option, name in pairwise(find.words) if option in ("-name", "-iname")]
            only_those = bool(named) and _OTHERWISE.isdisjoint(find.words)
            return only_those and all(matches(name, words.temporary) for name in named)
    path = path.rstrip("/")
    return matches(posixpath.basename(path), words.temporary) or any(covers(place, path) for place in words.caches)


def _usual(command: ShellCommand, known: KnownFiles) -> frozenset[EffectKind | Access]:
    """The effects of a command that agents bring about on the way to many tasks."""
    found: set[EffectKind | Access] = set()
    only_installs = "install" in command.does and command.does <= {"install", "privilege"}
    if only_installs and not _CHOSEN_SOURCE.search(command.text) and _installs_the_usual(command):
        found |= {"install", "privilege"}
    known_program = command.program in KNOWN_PROGRAMS and command.program not in SHELLS | _OTHER_USERS
    if known_program or _ASKS_NOTHING.fullmatch(command.text):
        # Another user's rights do no harm themselves: what the command does with them is judged for itself.
        found.add("privilege")
    runnable = _MAKES_RUNNABLE.search(command.text) is not None
    own = all(known.is_written(path) or (known.is_made(path) and not runnable) for path in command.writes)
    if command.program == "chmod" and command.writes and own and not _OTHERS_RIGHTS.search(command.text):
        found.add("change_permissions")
    if "run_file" in command.does:
        file = _file_run(command)
        read = command.program.startswith("python")
        script = command.program in INTERPRETERS - SHELLS and (read or file not in known.brought)
        if script or known.is_written(file) or _SHELL_STARTS.search(file):
            found.add("run_programs")
    return frozenset(found)


def _installs_the_usual(command: ShellCommand) -> bool:
    """Whether a command installs what the system's own registry has, or helpers that agents need for many tasks."""
    words = command.words[1:]
    if command.program in _SYSTEM_INSTALLERS:
        return True
    if command.program in ("npm", "pnpm", "yarn"):
        return not {"-g", "--global", "global"}.intersection(words) and len(words) < 2
    packages = [word for word in words if not word.startswith("-") and word not in ("install", "add", "-r")]
    listed = {_FILE_OF_PACKAGES.sub("", word) for word in packages}
    named = [_VERSION.split(word.casefold())[0] for word in listed if word]
    return command.program in _PIP and all(matches(name, vocabulary().helper_packages) for name in named)


def _secrets_in_code(command: ShellCommand, line: str) -> tuple[str, ...]:
    """Files of keys and passwords that hidden code names."""
    if "hidden" not in command.does or command.program not in INTERPRETERS:
        return ()
    named = (normal_path(match[0]) for match in _PATH_IN_CODE.finditer(f"{command.text} {line}"))
    return tuple(dict.fromkeys(path for path in named if is_secret(path)))


def _file_run(command: ShellCommand) -> str:
    """The file whose commands or code a command runs; empty if its words do not tell."""
    if command.program not in INTERPRETERS | {"source", "."}:
        return normal_path(command.words[0]) if command.words else ""
    return next((normal_path(word) for word in command.words[1:] if not word.startswith("-")), "")


def takes_data_along(command: ShellCommand) -> bool:
    """Tell whether a command sends what it does not show: a file's content in an address, a name or its input."""
    match command.program:
        case "git":
            return "push" in command.words
        case "ssh" | "sftp" | "ftp" | "telnet" | "socat":
            return bool(command.reads)
        case program if program in _LOOK_UP:
            return any(_IN_A_NAME.search(word) for word in command.words[1:])
        case program if program in FETCHERS:
            return any(_IN_AN_ADDRESS.search(word) for word in command.words[1:])
        case _:
            return False


def secret_files(command: ShellCommand) -> tuple[str, ...]:
    """The files of keys and passwords whose content a command could show, copy or send."""
    if command.program in _LOOKS_ONLY:
        return ()
    touched = (path for path in (*command.reads, *command.writes) if is_secret(path))
    return tuple(dict.fromkeys((*touched, *named_secrets(command))))
