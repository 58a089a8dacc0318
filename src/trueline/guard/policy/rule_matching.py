"""Which operations a rule matches."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from trueline.actions.facts.mentions import mentions
from trueline.actions.shell.command import UNSEEN, ShellCommand
from trueline.actions.shell.paths import could_be, whole_folder
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.globs import matches
from trueline.guard.policy.operations import Addressed, EpisodeEnd, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.rulebook import (
    CommandWhen,
    EndWhen,
    OpenWhen,
    Place,
    PressWhen,
    RecipientWhen,
    TextWhen,
    When,
)
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.secrets import Marked, carried_by, secret_values, secrets_in


def matches_operation(when: When, operation: Operation, step: int, marked: Sequence[Marked]) -> bool:
    """Whether a condition matches an operation; `screen` conditions match none."""
    if when.effect is not None:
        return operation.effect in when.effect
    match operation:
        case Ran():
            return when.command is not None and _command(when.command, operation.command)
        case Pressed():
            return when.press is not None and _press(when.press, operation)
        case Typed():
            return when.text is not None and _text(when.text, operation, marked)
        case Opened():
            return when.open is not None and _open(when.open, operation, marked)
        case Addressed():
            return when.recipient is not None and _recipient(when.recipient, operation)
        case EpisodeEnd():
            return when.end is not None and _end(when.end, operation, step)
        case _:
            return False


def subjects(operation: Operation) -> tuple[str, ...]:
    """Return the objects of an operation, for looking them up elsewhere."""
    match operation:
        case Ran():
            # Where something goes, or comes from to be run, says more than what it is.
            hosts = operation.command.hosts or (
                mentions([operation.line]).hosts if operation.command.does & UNSEEN else ()
            )
            return (*hosts, *operation.command.addresses) or operation.command.paths
        case Opened():
            return tuple(dict.fromkeys((operation.url, *hosts_of(operation.url))))
        case Addressed():
            return (operation.address,)
        case Typed():
            return (operation.text, *secret_values(operation.text))
        case Pressed():
            return (operation.target.label,) if operation.target else ()
        case _:
            return ()


def _command(when: CommandWhen, command: ShellCommand) -> bool:
    return (
        (not when.does or not command.does.isdisjoint(when.does))
        and (not when.program or matches(command.program, when.program))
        and (not when.program_not or not matches(command.program, when.program_not))
        and (not when.argument or any(matches(word, when.argument) for word in command.words[1:]))
        and (not when.line or matches(command.text, when.line))
        and (not when.whole or any(is_whole(path, when.whole) for path in command.paths))
        and (
            not (when.path or when.path_not or when.access)
            or any(_is_path(path, when, command) for path in command.files)
        )
        and (not when.host or any(matches(host, when.host) for host in command.hosts))
        and (not when.host_not or any(not matches(host, when.host_not) for host in command.hosts))
    )


def _is_path(path: str, when: CommandWhen, command: ShellCommand) -> bool:
    return (
        (not when.path or is_path(path, when.path))
        and not (when.path_not and matches(path, when.path_not))
        and (not when.access or not command.accesses(path).isdisjoint(when.access))
    )


def is_path(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path, its wildcards included, can be one of these."""
    return matches(path, patterns) or any(could_be(path, pattern) for pattern in patterns)


def is_whole(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path stands for all of one of these folders: itself, all in it, or a folder above it."""
    folder = whole_folder(path)
    above = "/" if folder == "/" else folder + "/"
    return matches(folder, patterns) or any(
        posixpath.join(pattern, "").startswith(above) or could_be(folder, pattern, above=True) for pattern in patterns
    )


def _press(when: PressWhen, operation: Pressed) -> bool:
    target = operation.target or Target("")
    return (
        (not when.act or operation.act in when.act)
        and (not when.label or matches(target.label, when.label))
        and (not when.role or matches(target.role, when.role))
        and (not when.window or matches(target.window, when.window))
        and (not when.app or matches(target.app, when.app))
        and (not when.dialog or matches(target.dialog, when.dialog))
        and (when.many is None or operation.many == when.many)
    )


def _text(when: TextWhen, operation: Typed, marked: Sequence[Marked]) -> bool:
    return (
        (not when.into or place_of(operation.into) in when.into)
        and (not when.field or (operation.into is not None and matches(operation.into.name, when.field)))
        and (not when.matches or matches(operation.text, when.matches))
        and (not when.secret or not set(when.secret).isdisjoint(secrets_in(operation.text, marked)))
    )


def place_of(target: Target | None) -> Place:
    """Return where a text goes."""
    if target is None:
        return "unknown"
    if target.role == "password-text":
        return "password"
    if target.is_terminal:
        return "terminal"
    if target.in_browser:
        return "browser"
    if target.in_mail:
        return "mail"
    return "document" if target.is_document else "elsewhere"


def _open(when: OpenWhen, operation: Opened, marked: Sequence[Marked]) -> bool:
    hosts = hosts_of(operation.url)
    return (
        (not when.by or operation.by in when.by)
        and (not when.host or any(matches(host, when.host) for host in hosts))
        and (not when.host_not or any(not matches(host, when.host_not) for host in hosts))
        and (not when.matches or matches(operation.url, when.matches))
        and (not when.carries or not set(when.carries).isdisjoint(carried_by(operation.url, marked)))
    )


def _recipient(when: RecipientWhen, operation: Addressed) -> bool:
    return (
        (not when.address or matches(operation.address, when.address))
        and (not when.address_not or not matches(operation.address, when.address_not))
        and (when.sent is None or operation.sent == when.sent)
    )


def _end(when: EndWhen, operation: EpisodeEnd, step: int) -> bool:
    return (not when.kind or operation.kind in when.kind) and (when.before_step is None or step < when.before_step)
