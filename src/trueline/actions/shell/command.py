"""What a shell command does, as far as its words say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from trueline.actions.facts import Effect
from trueline.actions.shell.syntax import Statement

Does = Literal[
    "delete", "delete_recursive", "wipe_disk", "write", "run_file", "run_remote", "run_decoded", "run_piped", "hidden",
    "schedule", "persist", "privilege", "open_permissions", "upload", "download", "send_mail", "remote_shell",
    "fork_bomb", "disable_security", "hide_traces", "install", "uninstall", "account", "shutdown", "kill", "open",
    "encrypt", "post", "change_settings", "control_services", "change_permissions",
    "exhaust", "serve", "read_secrets", "run_code", "capture_screen", "open_firewall",
]  # fmt: skip
"""One thing a command does. `run_*` runs what it is given: a file, something fetched, decoded, or piped in unseen.

`run_code` runs code in a language that is not read, unless it only prints. `upload` sends files,
`post` sends data that stands in the command itself, `serve` lets others fetch files or log in.
"""

Access = Literal["read", "write", "delete"]

_EFFECTS: dict[Effect, frozenset[Does]] = {
    "irreversible": frozenset({"delete", "delete_recursive", "wipe_disk", "encrypt", "hide_traces", "fork_bomb"}),
    "egress": frozenset({"upload", "send_mail", "remote_shell"}),
    "privilege": frozenset({"privilege", "account", "disable_security", "open_permissions"}),
}
UNSEEN: frozenset[Does] = frozenset({"run_file", "run_remote", "run_decoded", "run_piped", "hidden"})
"""Runs code that is unknown, at least in part."""


@dataclass(frozen=True)
class ShellCommand:
    """One simple command after quotes, variables and wrappers such as `sudo` are undone."""

    words: tuple[str, ...]
    """Program and arguments; `$NAME` and `$(…)` stand for what could not be known."""
    program: str
    """Base name, wrappers skipped."""
    does: frozenset[Does] = frozenset()
    paths: tuple[str, ...] = ()
    """What it names, `~` for the home folder, relative to the working folder where that is known."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    """The files it reads, writes and deletes, as far as its program's arguments tell."""
    urls: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    plain: bool = False
    """It is certain that this program runs with these arguments, and that its name is not redefined."""

    @property
    def files(self) -> tuple[str, ...]:
        """All paths, in whatever way it names them."""
        return tuple(dict.fromkeys((*self.paths, *self.reads, *self.writes, *self.deletes)))

    def accesses(self, path: str) -> frozenset[Access]:
        """How it accesses one of its files, as far as its program's arguments tell."""
        ways: dict[Access, tuple[str, ...]] = {"read": self.reads, "write": self.writes, "delete": self.deletes}
        return frozenset(way for way, paths in ways.items() if path in paths)

    @property
    def text(self) -> str:
        """The words on one line."""
        return " ".join(self.words)

    @property
    def effect(self) -> Effect:
        """The most serious effect that its words show; others are unknown."""
        return effect_of(self.does)


@dataclass(frozen=True)
class ShellSession:
    """What a terminal remembers from line to line."""

    variables: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Those that were set; None where only run time tells the value."""
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Files made in this session: their content, or None when it came from elsewhere."""
    folder: str | None = None
    pending: str = ""
    """An incomplete line that the shell is waiting to finish."""
    entered: tuple[str, ...] = ()
    """Lines run so far, for the up arrow."""
    altered: bool = False
    """Something may have redefined program names, or may read the next line instead of the shell."""
    functions: dict[str, tuple[Statement, ...]] = field(default_factory=dict[str, tuple[Statement, ...]])
    arguments: tuple[str, ...] | None = ()
    """`$1`, `$2` …"""
    blind: bool = False
    """Something unknown may have set any variable."""
    interactive: bool = False
    """Whether the lines are typed into a terminal, where it is not known which shell reads them."""


def effect_of(does: Iterable[Does]) -> Effect:
    """The most serious effect of several kinds."""
    found = set(does)
    for effect, kinds in _EFFECTS.items():
        if found & kinds:
            return effect
    return "unknown"
