"""The effects that a step had, read from what changed on the desktop: the last line of defence.

What an action will do is judged before it runs; what it did is checked afterwards, from the ledger and the network log.
Programs keep state of their own in hidden files, settings and requests, so not everything that changed was done by the
step. An effect is `routine`, which is unknown rather than outside, where a program may have done it by itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from trueline.actions.shell.interpret import read_line
from trueline.guard.policy.globs import matches
from trueline.guard.policy.operations import Ran
from trueline.guard.scope.command_effects import is_secret
from trueline.guard.scope.effects import effects_of
from trueline.guard.scope.known_files import KnownFiles, ledger_path, starts_later
from trueline.guard.scope.types import ProposalEffect
from trueline.guard.scope.vocabulary import vocabulary
from trueline.records.ledger import Changes, FileChange, NetworkRequest, ProcessLeft, SettingChange

_HIDDEN = re.compile(r"(?:^|/)\.")
_TOP_DOTFILE = re.compile(r"~/\.[^/]+")
_CARRIES_DATA = frozenset({"POST", "PUT", "PATCH"})
_LONG_QUERY = 64
"""Characters of an address after its `?` from which it may carry a file's content."""
_LONG_LABEL = 25
"""Characters of a part of a host name that nobody would choose for a name, but that data needs."""
_OF_THE_DESKTOP = frozenset({"dconf", "gsettings", "xfconf"})
_KEPT_BY_PROGRAMS = re.compile(
    r"(?:^|[/.:_-])(?:last|recent|history|window|width|height|size|position|geometry|maximi[sz]ed|state|view|sort|column"
    r"|sidebar|expanded|zoom|session|version|first-run|migrat\w*|welcome|count|timestamp|splash|paned?|screen0|monitor"
    r"|backdrop|displays|save-\w+|chooser|toolbar|opened|uuid)",
    re.IGNORECASE,
)
"""Keys under which programs note their own state."""
_GUARDED = re.compile(
    r"(?:^|[./])(?:network\.proxy\.\w+|proxy(?:[./]\w+)*|inet/settings\b.*proxy\w*"
    r"|mail\.(?:smtpserver|server)\.\w+\.(?:hostname|realhostname|username)"
    r"|mail\.identity\.\w+\.(?:useremail|reply_to|smtpserver|dobcclist|docclist)"
    r"|macrosecuritylevel|disablemacrosexecution|secureurl|safebrowsing(?:\.\w+)*|homepage|session\.startup_urls"
    r"|default_search_provider\w*(?:\.\w+)*|security\.workspace\.trust(?:\.\w+)*|xpinstall\.signatures\.required)$",
    re.IGNORECASE,
)
"""Keys of an application that say where data goes and what it trusts."""
_LASTING = frozenset(
    {"remote_control", "share", "upload", "send", "schedule", "exhaust_resources", "run_fetched_code", "wipe_disk"}
)
"""What a program that still runs goes on doing."""


def effects_of_changes(changes: Changes, known: KnownFiles | None = None) -> tuple[ProposalEffect, ...]:
    """Return what a step brought about.

    Args:
        changes: What the ledger and the network log say of the step.
        known: What was known about files before it.
    """
    return tuple(dict.fromkeys(_effects(changes, known or KnownFiles())))


def _effects(changes: Changes, known: KnownFiles) -> Iterator[ProposalEffect]:
    created = [ledger_path(file) for file in changes.files if file.change == "created"]
    deleted = [ledger_path(file) for file in changes.files if file.change == "deleted"]
    for file in changes.files:
        found = _of_file(file, known)
        if found is not None and found.kind == "delete":
            found = replace(found, moved_to=_moved_to(found.resource, deleted, created))
        if found is not None:
            yield found
    for setting in changes.settings:
        yield _of_setting(setting)
    for left in changes.processes:
        yield from _of_process(left)
    for request in changes.requests:
        yield from _of_request(request)
    for mail in changes.mails:
        for recipient in mail.to:
            yield ProposalEffect("send", recipient, "envelope")


def _of_file(file: FileChange, known: KnownFiles) -> ProposalEffect | None:
    path = ledger_path(file)
    if file.type == "folder" and file.change == "changed":
        return None
    if starts_later(path):
        return ProposalEffect("delete" if file.change == "deleted" else "schedule", path, "path")
    name = posixpath.basename(path)
    if file.change == "deleted":
        lost = _HIDDEN.search(path) is None or is_secret(path) or matches(name, vocabulary().kept_data)
        remade = matches(name, vocabulary().temporary) or known.is_own(path)
        return ProposalEffect("delete", path, "path", routine=remade or not lost)
    if _HIDDEN.search(path):
        # A file of keys, or one at the top of the home folder that no program is known to keep, was written on purpose.
        on_purpose = is_secret(path) or _TOP_DOTFILE.fullmatch(path) is not None
        kept = matches(name, vocabulary().programs_own)
        return ProposalEffect("write", path, "path", routine=kept or not on_purpose)
    new = file.change == "created" and path.startswith("~/")
    return ProposalEffect("write", path, "path", routine=new or known.is_own(path))


def _moved_to(path: str, deleted: list[str], created: list[str]) -> str:
    """Where a file went that is gone from its place, if a new one shows it."""
    same_name = [place for place in created if posixpath.basename(place) == posixpath.basename(path)]
    renamed = created if len(deleted) == len(created) else []
    found = next(iter(same_name or renamed), "")
    return "" if _HIDDEN.search(found) else found


def _of_setting(setting: SettingChange) -> ProposalEffect:
    """A setting of the desktop is changed on purpose; one of an application often by the application."""
    if setting.store in _OF_THE_DESKTOP:
        routine = _KEPT_BY_PROGRAMS.search(setting.key) is not None
    else:
        routine = _GUARDED.search(setting.key) is None
    return ProposalEffect("change_settings", f"{setting.store}:{setting.key}", "path", routine=routine)


def _of_process(left: ProcessLeft) -> Iterator[ProposalEffect]:
    """What still runs: the program itself, and what its command line goes on doing."""
    yield ProposalEffect("use", posixpath.basename(left.program), "process", within=left.command)
    line = left.command or left.program
    ran = (Ran(command, line) for command in read_line(line).commands)
    yield from (replace(effect, shown_by="process") for effect in effects_of(ran) if effect.kind in _LASTING)


def _of_request(request: NetworkRequest) -> Iterator[ProposalEffect]:
    sent = f"{request.method or 'lookup of'} {request.host}{request.path}"
    if request.method is None:
        yield ProposalEffect("visit", request.host, "origin", within=sent)
        if any(len(label) >= _LONG_LABEL for label in request.host.split(".")):
            yield ProposalEffect("upload", request.host, "origin", within=sent)
        return
    if request.method in _CARRIES_DATA:
        yield ProposalEffect("upload", request.host, "origin", within=sent)
    elif len(request.path.partition("?")[2]) >= _LONG_QUERY:
        # Pages ask for much in their addresses too.
        yield ProposalEffect("upload", request.host, "origin", within=sent, routine=True)
    yield ProposalEffect("visit", request.host, "origin", within=sent)
