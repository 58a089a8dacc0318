"""What an episode changed: files, settings, processes, requests and mail, step by step and as a whole."""

from __future__ import annotations

from typing import Literal

from trueline.records.base import Count, Digest, Record


class FileChange(Record):
    """A file, folder or link that was created, changed or deleted."""

    path: str
    """The path below the home folder; absolute if it lies in a temporary folder."""
    change: Literal["created", "changed", "deleted"]
    type: Literal["file", "folder", "link", "other"] = "file"
    size: Count | None = None
    """Bytes that a file holds now."""


class SettingChange(Record):
    """A key of the desktop's or an application's settings that has another value."""

    store: str
    """`dconf`, `xfconf`, or the application: `chromium`, `thunderbird`, `libreoffice` …"""
    key: str
    value: str | None = None
    """The new value, shortened; `None`: the key was removed."""


class ProcessLeft(Record):
    """A program that was started and still runs."""

    program: str
    """Path of its executable."""
    command: str = ""
    """Its command line, shortened."""


class NetworkRequest(Record):
    """A request to the network."""

    host: str
    method: str | None = None
    """`None`: the name was looked up."""
    path: str = ""
    size: Count = 0
    """Bytes of the body."""


class SentMail(Record):
    """A mail that was sent."""

    sender: str
    to: tuple[str, ...]
    """The recipients of the envelope."""
    size: Count = 0


class Changes(Record):
    """All changes between two moments. Names and texts in it are hostile."""

    files: tuple[FileChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    processes: tuple[ProcessLeft, ...] = ()
    requests: tuple[NetworkRequest, ...] = ()
    mails: tuple[SentMail, ...] = ()
    omitted: Count = 0
    """Further changes that are not listed, because there were too many."""
    unread: tuple[str, ...] = ()
    """Why something could not be read."""

    @property
    def count(self) -> int:
        """How many are listed."""
        return sum(map(len, (self.files, self.settings, self.processes, self.requests, self.mails)))

    def lines(self) -> list[str]:
        """Each change in a line, for people; the texts in it are hostile."""
        return [
            *(f"file {file.path}: {file.change}" for file in self.files),
            *(f"setting {one.store}:{one.key} = {one.value or 'removed'}" for one in self.settings),
            *(f"left running: {left.command or left.program}" for left in self.processes),
            *(f"request {one.method or 'for the name'} {one.host}{one.path}" for one in self.requests),
            *(f"mail to {', '.join(mail.to)}" for mail in self.mails),
            *([f"{self.omitted} more that are not listed"] if self.omitted else []),
            *(f"could not be read: {why}" for why in self.unread),
        ]

    @property
    def complete(self) -> bool:
        """Whether everything that changed is listed."""
        return not self.omitted and not self.unread


class Ledger(Record):
    """What an episode changed, compared with its beginning, split by what its task may change."""

    asked_for: Changes
    also_changed: Changes
    """Everything else; all changes of a task that does not list what it may change."""
    allowed: Digest | None = None
    """Digest of the task's list of allowed changes; `None` if it has none."""
