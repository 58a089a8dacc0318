"""The Scope of a task, the effects of a proposal, and where an effect lies.

Only the user's instruction, the start state (executables and file paths) and answers typed by a person make or widen a
Scope. What is read from the screen can place an effect outside or make it unknown; it never places one inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from trueline.records.base import Record
from trueline.records.start_state import StartState

EffectKind = Literal[
    "send",
    "upload",
    "download",
    "share",
    "pay",
    "install",
    "privilege",
    "grant_privilege",
    "open_shell",
    "account",
    "schedule",
    "delete_permanently",
    "change_settings",
    "change_permissions",
    "control_processes",
    "run_commands",
    "run_programs",
    "read_secrets",
    "run_fetched_code",
    "run_other_code",
    "remote_control",
    "disable_protection",
    "wipe_disk",
    "exhaust_resources",
    "capture_screen",
    "end_task",
]
"""What a proposal can bring about besides touching a resource.

`send` is a message to somebody, `upload` data to a server, `share` access for others; `schedule` is whatever runs
later by itself (cron, autostart, shell startup files); `control_processes` stops or starts services, processes or the
machine; `capture_screen` takes pictures of the screen or records sound; `grant_privilege` gives programs, users or
containers other rights for good, `open_shell` gives another shell the keyboard, so that nobody sees what comes next;
`run_commands` uses a shell, `run_programs` runs code that the task does not name, `run_other_code` code in a language
that is not read.
"""
Access = Literal["read", "write", "delete"]
Source = Literal["instruction", "start state", "answer", "person"]
"""Who justifies a grant: the instruction, what was open when the task began, an answer typed by a person, or a Scope
written by hand."""
Maker = Literal["rules", "model", "hand", "task"]
"""How the Scope was made; by hand or from a task file is an oracle condition and is reported apart."""


class Grant(Record):
    """One permission, with the words that justify it."""

    because: str
    """The words of the instruction, or the file or executable of the start state."""
    source: Source = "instruction"
    possible: bool = False
    """The words leave open whether the task needs it: what only such a grant covers is unknown, never inside."""


class ApplicationGrant(Grant):
    """The task may use this application."""

    application: str
    """OSWorld's name of the application, such as `libreoffice_calc`, or the base name of its executable."""


class PathGrant(Grant):
    """The task may touch these files."""

    path: str
    """A path or pattern; `~` is the home folder. A folder ends in `/**`."""
    access: tuple[Access, ...]


class SiteGrant(Grant):
    """The task may visit this site."""

    site: str
    """A host, which includes its subdomains; `*` is any site."""


class RecipientGrant(Grant):
    """The task may address this recipient."""

    recipient: str
    """An address, `*@domain`, or `*` for anybody."""


class EffectGrant(Grant):
    """The task may have this kind of effect."""

    effect: EffectKind


Slot = Literal["recipient", "site", "path"]
OPEN_SLOT = "open slot: "
"""How the source of the evidence begins that holds a value for an open slot; the slot follows. A person who lets the
proposal pass has answered."""


class OpenSlot(Grant):
    """A value that only data can tell, such as the recipient in "reply to the sender"; a person is asked once."""

    slot: Slot


class SlotAnswer(NamedTuple):
    """A value for an open slot that a person agreed to."""

    slot: Slot
    value: str


class Scope(Record):
    """What a task may touch. What no grant covers is outside."""

    version: Literal[1] = 1
    made_by: Maker = "rules"
    applications: tuple[ApplicationGrant, ...] = ()
    paths: tuple[PathGrant, ...] = ()
    sites: tuple[SiteGrant, ...] = ()
    recipients: tuple[RecipientGrant, ...] = ()
    effects: tuple[EffectGrant, ...] = ()
    open_slots: tuple[OpenSlot, ...] = ()


@dataclass(frozen=True)
class ScopeSource:
    """What a Scope is made from. All of it is trusted; plans, clarified texts and feedback are not part of it."""

    words: str
    """The user's own instruction."""
    start: StartState | None = None
    answers: tuple[SlotAnswer, ...] = ()
    """What a person agreed to where the instruction left it open; a value may hold any words, so it grants no more."""
    given: Scope | None = None
    """A Scope written by hand or taken from the task, instead of one that is made."""


ShownBy = Literal["process", "origin", "path", "envelope", "command", "action", "screen"]
"""What an effect was read from: the process's executable, the browser's origin, a resolved path, a recipient as it will
be sent, the words of a command, the action itself, or only names and texts on the screen."""


@dataclass(frozen=True)
class ProposalEffect:
    """One thing that a proposal would do."""

    kind: EffectKind | Access | Literal["use", "visit"]
    """`use` an application, `visit` a site, an access to a path, or a kind of effect."""
    resource: str = ""
    """The application, path, host or recipient it is done to; empty where it is not known."""
    shown_by: ShownBy = "action"
    certain: bool = True
    """Whether it happens for certain if the proposal runs."""
    entered: bool = False
    """It is a command line entered where nothing shows that a terminal has the keyboard, and where it reads as one."""
    within: str = ""
    """What it is part of, such as the command line."""
    routine: bool = False
    """Agents do so on the way to many tasks, such as installing a package of the usual registry: where words alone made
    the Scope and none speaks of it, it is unknown rather than outside."""
    moved_to: str = ""
    """Where what disappears from its place is moved to, if that is somewhere that a person sees."""
    part_of: EffectKind | None = None
    """A kind of effect of the same command; where the task may have it, this one is unknown rather than outside."""


Place = Literal["inside", "outside", "unknown"]


@dataclass(frozen=True)
class PlacedEffect:
    """Where an effect lies, and why."""

    effect: ProposalEffect
    place: Place
    why: str
