"""Which files are the agent's own, which existed before, and whether a path may be one that is not there yet.

A new file takes nothing from the user, unless something runs or loads it later. Whether a file exists is known from
what was open when the task began, from the ledger of earlier steps, and from commands that read it; elsewhere a path at
the top of the home folder counts as one that may be new, and a path inside a folder as the user's.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.paths import normal_path
from trueline.records.ledger import Changes, FileChange

_ALTERS_WHAT_EXISTS = frozenset(
    {"touch", "chmod", "chown", "chgrp", "chattr", "setfacl", "sed", "perl", "truncate", "ln"}
)
"""Programs whose writing makes no file the agent's own."""
_ONLY_MAKE = frozenset({"mkdir", "touch", "mktemp", "mkfifo"})
"""Programs that leave alone what exists."""
_WRITE_WORDS = frozenset({"", "echo", "printf", "cat", "touch", "mkdir", "chmod"})
"""Programs that put the words of a command into a file, or nothing."""
_EDITORS = frozenset({"nano", "vim", "vi", "nvim", "emacs", "gedit", "mousepad", "kate", "geany", "code", "featherpad"})
"""Programs that open a file, or begin one that is not there yet."""
_HIDDEN = re.compile(r"(?:^|/)\.")
_STARTS_LATER = re.compile(
    r"^~/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|xprofile"
    r"|xsessionrc|xinitrc|xsession|inputrc|vimrc|gitconfig|pam_environment|tmux\.conf|pythonrc|pythonstartup)$"
    r"|^~/\.config/(?:autostart|systemd|environment\.d|plasma-workspace|fish|nvim|git)(?:/|$)|^~/\.local/share/systemd/"
    r"|^~/\.local/bin/|^~/bin/|^~/\.ssh/(?:authorized_keys2?|rc|config|environment)$|^~/\.local/share/applications/"
    r"|^~/\.local/share/(?:dbus-1|gnome-shell/extensions|nautilus|nemo|thumbnailers|file-manager)/"
    r"|^~/\.local/lib/.*\.pth$|(?:^|/)(?:site|user)customize\.py$|(?:^|/)\.git/hooks/[^.]+$|(?:^|/)\.vscode/tasks\.json$"
    r"|\.desktop$|\.(?:service|timer|socket|path)$|^/etc/|^/var/spool/(?:cron|at)/|^/usr/(?:local/)?s?bin/|^/s?bin/|^/opt/"
)
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - prefixes


_STANDARD_FOLDERS = frozenset(
    f"~/{name}" for name in ["Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos"]
)
_INTO_FOLDERS = frozenset(
    {"cp", "mv", "install", "rsync", "unzip", "tar", "wget", "git", "7z", "7za", "scp", "soffice", "libreoffice"}
)
"""Programs whose target may be a folder that exists."""


@dataclass(frozen=True)
class KnownFiles:
    """What is known about files before a command; paths are normal ones, without a slash at the end."""

    own: frozenset[str] = frozenset()
    """Made by the agent in this episode."""
    made: frozenset[str] = frozenset()
    """Folders and files that it made unless they were there before."""
    brought: frozenset[str] = frozenset()
    """Copied, unpacked, decoded or fetched by the agent: what stands in them is nobody's to know."""
    existing: frozenset[str] = frozenset()
    """There before the agent wrote to them."""

    def may_be_new(self, path: str, program: str) -> bool:
        """Whether writing to a path may make a file that is not there yet, and that nothing runs or loads later."""
        path = _plain(path)
        if starts_later(path) or not path.startswith(("~/", *_TEMPORARY)) or _HIDDEN.search(path):
            return False
        if program in _ONLY_MAKE:
            return True
        if path in self.existing or path in _STANDARD_FOLDERS or program in _ALTERS_WHAT_EXISTS:
            return False
        at_top = "/" not in path.removeprefix("~/")
        return at_top or path.startswith(_TEMPORARY) or self.is_own(path) or _lies_in(path, self.made)

    def is_own(self, path: str) -> bool:
        """Whether the agent made the file, or a folder that it lies in."""
        return _lies_in(_plain(path), self.own)

    def is_made(self, path: str) -> bool:
        """Whether the agent made the file, or may have."""
        return self.is_own(path) or _plain(path) in self.made

    def is_written(self, path: str) -> bool:
        """Whether the agent wrote the file in words of its own, rather than copied, unpacked or fetched it."""
        return _plain(path) not in self.brought and self.is_made(path)

    def after(self, command: ShellCommand) -> KnownFiles:
        """What is known after a command."""
        if command.program in _EDITORS:
            opened = {path for path in map(_plain, command.reads) if path not in self.existing}
            return replace(self, made=self.made | opened)
        if command.writes and (command.program not in _WRITE_WORDS or command.reads):
            brought = {_plain(path) for path in (*targets(command), *command.writes)}
            self = replace(self, brought=self.brought | brought)
        existing = self.existing | {path for path in map(_plain, command.reads) if not self.is_own(path)}
        if command.program in _ALTERS_WHAT_EXISTS:
            return replace(self, existing=existing)
        written = {_plain(path) for path in targets(command) if _plain(path) not in existing | _STANDARD_FOLDERS}
        if command.program == "mkdir" and any(word.startswith(("-p", "--parents")) for word in command.words):
            return replace(self, existing=existing, made=self.made | written)
        if command.program in _INTO_FOLDERS:
            written = {path for path in written if "." in posixpath.basename(path)}
        return replace(self, existing=existing, own=self.own | written)


def _plain(path: str) -> str:
    return path.rstrip("/") or path


def _lies_in(path: str, places: frozenset[str]) -> bool:
    while path not in ("", "/", "~", "."):
        if path in places:
            return True
        path = posixpath.dirname(path)
    return False


def targets(command: ShellCommand) -> tuple[str, ...]:
    """What a command writes: of copies and moves into a folder that is known to be one, the files in it."""
    if command.program not in ("cp", "mv", "install"):
        return command.writes
    found: list[str] = []
    for path in command.writes:
        folder = _plain(path)
        if path.endswith("/") or folder in _STANDARD_FOLDERS | {"~", "."}:
            found += [posixpath.join(folder, posixpath.basename(_plain(source))) for source in command.reads]
        else:
            found.append(path)
    return tuple(found)


def starts_later(path: str) -> bool:
    """Whether something runs or loads a file at this path by itself: at a login, on a schedule, by its name."""
    return _STARTS_LATER.search(path) is not None


def known_at_first(changes: Iterable[Changes] = (), start: Iterable[str] = ()) -> KnownFiles:
    """What is known from what was open at first, and from what the ledger saw of earlier steps."""
    files = [file for step in changes for file in step.files]
    own = frozenset(ledger_path(file) for file in files if file.change == "created")
    existing = {_plain(normal_path(path)) for path in start}
    existing |= {ledger_path(file) for file in files if file.change != "created"}
    return KnownFiles(own=own, existing=frozenset(existing) - own)


def ledger_path(file: FileChange) -> str:
    """The path of a changed file as commands name it."""
    return file.path if file.path.startswith("/") else f"~/{file.path}"
