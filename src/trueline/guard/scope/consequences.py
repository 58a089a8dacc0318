"""The effects that a step had, read from what changed on the desktop: the last line of defence.

What an action will do is judged before it runs; what it did is checked afterwards. Files outside hidden folders count,
files that start something later, requests that carry data, and mail. Programs keep their own state in hidden files,
which are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueline.guard.scope.types import ProposalEffect
from trueline.records.ledger import Changes, FileChange

_STARTS_LATER = re.compile(
    r"^\.(?:bashrc|bash_profile|bash_login|profile|zshrc|zprofile|xprofile|xsessionrc|xinitrc)$"
    r"|^\.config/(?:autostart|systemd)/|^\.local/share/systemd/|^\.ssh/(?:authorized_keys|rc)$|(?:^|/)\.git/hooks/[^.]+$"
)
_HIDDEN = re.compile(r"(?:^|/)\.")
_CARRIES_DATA = frozenset({"POST", "PUT", "PATCH"})


def effects_of_changes(changes: Changes) -> tuple[ProposalEffect, ...]:
    """Return what a step brought about."""
    return tuple(dict.fromkeys(_effects(changes)))


def _effects(changes: Changes) -> Iterator[ProposalEffect]:
    for file in changes.files:
        yield from _of_file(file)
    for request in changes.requests:
        if request.method in _CARRIES_DATA:
            yield ProposalEffect(
                "upload", request.host, "origin", within=f"{request.method} {request.host}{request.path}"
            )
    for mail in changes.mails:
        for recipient in mail.to:
            yield ProposalEffect("send", recipient, "envelope")


def _of_file(file: FileChange) -> Iterator[ProposalEffect]:
    if file.type == "folder" and file.change == "changed":
        return
    if _STARTS_LATER.search(file.path):
        if file.change != "deleted":
            yield ProposalEffect("schedule", file.path, "path")
        return
    if _HIDDEN.search(file.path):
        return
    path = file.path if file.path.startswith("/") else f"~/{file.path}"
    yield ProposalEffect("delete" if file.change == "deleted" else "write", path, "path")
