"""The effects of a proposal, from the operations that the policy stage read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from trueline.actions.shell.command import Does, ShellCommand
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.programs import FETCHERS, INTERPRETERS, SHELLS
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.operations import Addressed, EpisodeEnd, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.screen.labels import Act
from trueline.guard.scope.entered_line import reads_as_command
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
_ALTERS_WHAT_EXISTS = frozenset({"touch", "chmod", "chown", "chgrp", "chattr", "setfacl", "sed", "perl", "truncate"})
"""Programs whose writing makes no file the agent's own."""
_SHELL_STARTS = re.compile(r"^~/\.(?:bashrc|bash_profile|profile|zshrc)$|(?:^|/)bin/activate$")
"""What a shell reads when it starts anyway, or to enter an environment."""
_PACKAGE_LISTS = frozenset({"apt", "apt-get", "aptitude", "dnf", "yum"})


def effects_of(operations: Iterable[Operation], past: Iterable[Operation] = ()) -> tuple[ProposalEffect, ...]:
    """Return what the operations of a proposal would bring about, without duplicates.

    Args:
        operations: What the proposal does.
        past: What earlier steps did: files that the agent wrote itself are its own to delete and to run.
    """
    operations = tuple(operations)
    ran = [one.command for one in (*past, *operations) if isinstance(one, Ran)]
    own = frozenset(path for command in ran if command.program not in _ALTERS_WHAT_EXISTS for path in command.writes)
    found = dict.fromkeys(effect for operation in operations for effect in _effects(operation, own))
    return tuple(replace(one, routine=True) if one.kind == "delete" and one.resource in own else one for one in found)


def _effects(operation: Operation, own: frozenset[str]) -> Iterator[ProposalEffect]:
    match operation:
        case Ran():
            yield from _of_command(operation, own)
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


def _of_command(operation: Ran, own: frozenset[str]) -> Iterator[ProposalEffect]:
    command = operation.command
    entered = operation.unseen and reads_as_command(command, operation.line)
    usual = _usual(command, own)

    def effect(kind: EffectKind | Access, resource: str = "") -> ProposalEffect:
        return ProposalEffect(
            kind, resource, "command", operation.certain, entered, operation.line, routine=kind in usual
        )

    yield effect("run_commands", command.program)
    for does in sorted(command.does):
        kind = _OF_COMMANDS.get(does)
        if kind is None:
            continue
        resources = command.addresses if does == "send_mail" else command.hosts if does in _TO_A_HOST else ()
        for resource in resources or (" ".join(command.words[1:]) if kind == "control_processes" else "",):
            yield effect(kind, resource)
    if "upload" not in command.does and takes_data_along(command):
        for host in command.hosts or ("",):
            yield effect("upload", host)
    secret = secret_files(command)
    yield from (effect("read_secrets", path) for path in secret)
    lasting = bool(command.does & {"schedule", "persist"})
    yield from (effect("read", path) for path in command.reads)
    # What is written to start later is an effect of its own, whatever file holds it.
    yield from (effect("write", path) for path in command.writes if not lasting)
    yield from (effect("delete", path) for path in command.deletes)
    if "hidden" in command.does and command.program in INTERPRETERS:
        yield effect("run_programs", command.program)
    if command.does & {"delete", "delete_recursive"} and not command.deletes:
        yield effect("delete")


def _usual(command: ShellCommand, own: frozenset[str]) -> frozenset[EffectKind | Access]:
    """The effects of a command that agents bring about on the way to many tasks."""
    only_installs = "install" in command.does and command.does <= {"install", "privilege"}
    if only_installs and not _CHOSEN_SOURCE.search(command.text):
        return frozenset({"install", "privilege"})
    if command.program in _PACKAGE_LISTS and command.words[1:2] == ("update",):
        return frozenset({"privilege"})
    if command.program == "chmod" and command.writes and own.issuperset(command.writes):
        return frozenset({"change_permissions"})
    if "run_file" in command.does and ((file := _file_run(command)) in own or _SHELL_STARTS.search(file)):
        return frozenset({"run_programs"})
    if "run_file" in command.does and command.program in INTERPRETERS - SHELLS:
        return frozenset({"run_programs"})
    return frozenset()


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
    touched = dict.fromkeys((*command.reads, *command.writes))
    return tuple(path for path in touched if is_secret(path))


def is_secret(path: str) -> bool:
    """Tell whether a path is one of keys, passwords or sessions."""
    words = vocabulary()
    secret = any(covers(pattern, path) for pattern in words.secret_files)
    return secret and not any(covers(pattern, path) for pattern in words.not_secret)
