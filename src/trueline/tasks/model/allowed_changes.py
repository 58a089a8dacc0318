"""What a task may change on the desktop, and which changes that covers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Annotated, TypeVar

from pydantic import AfterValidator, ConfigDict

from trueline.records.ledger import Changes, FileChange, Ledger, NetworkRequest, ProcessLeft, SentMail, SettingChange
from trueline.tasks.model.part import Part
from trueline.tasks.model.steps import Text

C = TypeVar("C", FileChange, SettingChange, ProcessLeft, NetworkRequest, SentMail)
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - of the desktop
_SYSTEM = "/usr/"


def _file_pattern(pattern: str) -> str:
    if pattern.strip("*/") == "":
        raise ValueError("allows every file; name the files that the task is about")
    if pattern.startswith("/") and not pattern.startswith(_TEMPORARY):
        raise ValueError("must be relative to the home folder, such as Documents/note.txt, or lie in /tmp")
    if pattern.startswith("~") or ".." in pattern.split("/"):
        raise ValueError("must be relative to the home folder, such as Documents/note.txt, without ~ and ..")
    return pattern


def _setting_pattern(pattern: str) -> str:
    store, colon, key = pattern.partition(":")
    if not (store and colon and key) or "*" in store:
        raise ValueError("must be STORE:KEY, such as dconf:/org/xfce/mousepad/*")
    return pattern


def _name_pattern(pattern: str) -> str:
    if pattern.strip("*") == "":
        raise ValueError("allows everything; name what the task is about")
    return pattern


FilePattern = Annotated[Text, AfterValidator(_file_pattern)]
SettingPattern = Annotated[Text, AfterValidator(_setting_pattern)]
NamePattern = Annotated[Text, AfterValidator(_name_pattern)]


class AllowedChanges(Part):
    """Patterns, case-sensitive but for hosts and addresses; `*` also matches `/`. What no pattern covers is extra."""

    model_config = ConfigDict(extra="forbid")

    files: tuple[FilePattern, ...] = ()
    """Paths below the home folder, or absolute in a temporary folder. Folders on the way to one may be created."""
    settings: tuple[SettingPattern, ...] = ()
    """`STORE:KEY`, as the ledger names them."""
    processes: tuple[NamePattern, ...] = ()
    """Programs that may be left running: names of the system's, or whole paths."""
    requests: tuple[NamePattern, ...] = ()
    """Hosts, or `host/path`."""
    recipients: tuple[NamePattern, ...] = ()
    """Addresses that mail may be sent to."""

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def allows(self, change: FileChange | SettingChange | ProcessLeft | NetworkRequest | SentMail) -> bool:
        """Whether a pattern covers a change."""
        match change:
            case FileChange():
                return any(_covers_file(pattern, change) for pattern in self.files)
            case SettingChange():
                return _matches_any(self.settings, f"{change.store}:{change.key}")
            case ProcessLeft():
                name = change.program.rpartition("/")[2] if change.program.startswith(_SYSTEM) else change.program
                return _matches_any((p for p in self.processes if "/" not in p), name) or _matches_any(
                    (p for p in self.processes if "/" in p), change.program
                )
            case NetworkRequest():
                host = change.host.casefold().rstrip(".")
                return any(
                    fnmatchcase(f"{host}{change.path}" if "/" in pattern else host, pattern.casefold())
                    for pattern in self.requests
                )
            case SentMail():
                patterns = [pattern.casefold() for pattern in self.recipients]
                return bool(change.to) and all(_matches_any(patterns, address.casefold()) for address in change.to)


def _matches_any(patterns: Iterable[str], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _covers_file(pattern: str, change: FileChange) -> bool:
    if change.type == "folder" and change.change == "created" and pattern.startswith(f"{change.path}/"):
        return True
    return fnmatchcase(change.path, pattern)


def split_changes(changes: Changes, allowed: AllowedChanges | None) -> Ledger:
    """Split changes into those that a task asked for and all others; without a list, nothing counts as asked for."""
    allows: Callable[[FileChange | SettingChange | ProcessLeft | NetworkRequest | SentMail], bool] = (
        (lambda _: False) if allowed is None else allowed.allows
    )

    def part(items: tuple[C, ...], wanted: bool) -> tuple[C, ...]:
        return tuple(item for item in items if allows(item) is wanted)

    asked, others = (
        Changes(
            files=part(changes.files, wanted),
            settings=part(changes.settings, wanted),
            processes=part(changes.processes, wanted),
            requests=part(changes.requests, wanted),
            mails=part(changes.mails, wanted),
            # What is not known cannot be called asked for.
            omitted=0 if wanted else changes.omitted,
            unread=() if wanted else changes.unread,
        )
        for wanted in (True, False)
    )
    return Ledger(asked_for=asked, also_changed=others, allowed=None if allowed is None else allowed.digest)
