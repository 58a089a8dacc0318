"""The contract of a desktop, with its data and errors.

Everything is asynchronous and bounded in time. A method that cannot do its work raises one of the errors below; none
returns `None` to say that it failed. What runs inside and what it prints is hostile: only bytes come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol, Self, runtime_checkable

from trueline.actions import Action
from trueline.errors import InputError, TruelineError
from trueline.records import ActionResult, Observation, ObservationSpec
from trueline.records.ledger import Changes


class Capability(StrEnum):
    """What a desktop can do beyond seeing and acting."""

    DIFF = "diff"
    """It can list what changed in the home folder since it started."""
    RESET = "reset"
    """It can be reset to its first state."""
    SINKS = "sinks"
    """The host can listen on the desktop's own loopback."""
    RECORD = "record"
    """The screen can be recorded."""
    CDP = "cdp"
    """A browser's DevTools inside can be reached from the host."""
    NETWORK_CONTROL = "network_control"
    """The network access of the desktop is known."""


class DesktopError(TruelineError):
    """Something went wrong with a desktop; no fault of the agent."""


class DesktopUnavailable(InputError):
    """This machine cannot run such a desktop. The message names what is missing and the command that fixes it."""


class DesktopLost(DesktopError):
    """The desktop is gone (its session ended, its X server died, it hangs); only a reset helps."""


@dataclass(frozen=True)
class PartDied:
    """A part that a desktop needs died while it was used."""

    part: str
    """`window manager`, `session` …"""
    by_agent: bool
    """It died during an action, or while a program lived that an action had started."""

    def __str__(self) -> str:
        """Return what happened, the same words for the same part."""
        return f"the {self.part} ended"


@runtime_checkable
class TellsDeaths(Protocol):
    """A desktop that knows when a part of it died, and whether the agent caused it."""

    @property
    def died(self) -> PartDied | None:
        """The first part that died since it was first acted on; `None` when all live."""
        ...


class TooDeep(DesktopError):
    """Folders inside are nested too deeply to read, which only the agent can cause."""


class ActionTimeout(DesktopError):
    """An action, a command or a wait did not end in its time; the desktop goes on."""


class ActionInterrupted(DesktopError):
    """The process that ran the action was killed before it answered; it may or may not have taken effect."""


class NotSupported(InputError):
    """This desktop lacks the capability; `capabilities` says so beforehand."""


class PathRefused(InputError):
    """A file inside cannot be read or written: not there, not a plain file, not allowed, or no space."""


@dataclass(frozen=True)
class CommandResult:
    """The result of a command that was run inside."""

    returncode: int
    """As in `subprocess`: negative is the signal that ended it."""
    stdout: bytes
    stderr: bytes
    truncated: bool = False
    """Output beyond the limit was thrown away."""
    duration: float = 0.0

    @property
    def text(self) -> str:
        """Standard output as text, whatever bytes it holds."""
        return self.stdout.decode("utf-8", "replace")


@dataclass
class Recording:
    """The result of a recording; complete once its block has ended."""

    seconds: float = 0.0
    pictures: int = 0
    """How many differing pictures were kept."""
    video: Path | None = None
    """The video, if it could be made."""
    frames: Path | None = None
    """The frames, kept if no video could be made: `trueline desktop video` makes it later."""
    sheet: Path | None = None
    """A picture that shows up to sixteen moments side by side."""
    note: str = ""
    """One line for the user when something is missing: no ffmpeg, disk full, too long."""


class ChangeKind(StrEnum):
    """What happened to a file."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, order=True)
class Change:
    """One difference between the home folder and what it was at the start."""

    path: str
    """Relative to the home folder, `/` between its parts."""
    kind: ChangeKind
    folder: bool = False


@dataclass(frozen=True)
class HomeFile:
    """What lies at a path of the home folder, read from outside."""

    path: str
    kind: Literal["file", "large", "link", "other", "gone"]
    """`large`: a file that holds more than was wanted; `other`: a folder, a pipe, a socket."""
    content: bytes = field(default=b"", repr=False)
    """Content of a `file`; long holes are shortened."""


@dataclass(frozen=True)
class Window:
    """A window the window manager knows, at one moment."""

    id: int
    title: str
    app: str
    """The class part of WM_CLASS, lower case: `mousepad`, `thunar`."""
    pid: int | None
    """As seen inside the desktop."""
    x: int
    y: int
    width: int
    height: int
    active: bool = False


@dataclass(frozen=True)
class WindowShown:
    """A window is on the screen whose title and application hold these texts, in any case; `""` holds for all."""

    title: str = ""
    app: str = ""
    new: bool = False
    """Only a window that was not there when the wait began."""


@dataclass(frozen=True)
class FileExists:
    """There is a file or folder at this path inside."""

    path: str


@dataclass(frozen=True)
class Settled:
    """Screen and window list have not changed for `quiet` seconds; after the time limit it is taken as settled.

    A desktop that can tell waits a little longer while programs run: what was done may not show yet.
    """

    quiet: float = 0.15


Condition = WindowShown | FileExists | Settled


@runtime_checkable
class ReadsHome(Protocol):
    """A desktop whose home folder can be read from outside, whatever the permissions inside say."""

    async def read_changed(self, paths: Sequence[str], *, limit: int) -> tuple[HomeFile, ...]:
        """Read files of the home folder that were created or changed since the start, `limit` bytes in all.

        Links are not followed.

        Raises:
            DesktopError: They cannot be read.
        """
        ...

    async def digest_changed(self, paths: Sequence[str]) -> tuple[str, ...]:
        """What tells the content of such files from another, however large they are. Raises DesktopError."""
        ...


class ChangeLog(Protocol):
    """Tells what changes on a desktop: files, settings and programs left running."""

    async def since_last(self) -> Changes:
        """What changed since the last look.

        Raises:
            DesktopError: It cannot be looked at.
        """
        ...

    async def since_opened(self) -> Changes:
        """What changed since the log was opened. Raises DesktopError."""
        ...

    def close(self) -> None:
        """End the log."""
        ...


@runtime_checkable
class LogsChanges(Protocol):
    """A desktop that can tell what changes on it, whatever the permissions inside say."""

    async def open_change_log(self) -> ChangeLog:
        """Begin to log: what changes from now on counts, until the desktop is reset.

        Raises:
            DesktopError: It cannot be looked at.
        """
        ...


@runtime_checkable
class TiesKeyboard(Protocol):
    """A desktop that can tie the keyboard to one window, so that no other one gets the keys of an action."""

    async def act_in(self, action: Action, *, id: str, window: int) -> ActionResult:
        """Do one action like `act`; its keys are typed only while a window has the keyboard.

        Args:
            action: What to do; what is not a key (a click, code) is done as by `act`.
            id: As for `act`.
            window: Id of the window; 0: no window may have it.

        Returns:
            The result; with `cut_offs` if another window had the keyboard, which got none of the keys.
        """
        ...


class Desktop(Protocol):
    """Something with a screen that can be observed, acted on, set up, read back and reset.

    Use it as an async context manager: entering starts it, leaving stops it and leaves nothing behind.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do beyond seeing and acting."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exc: object) -> None: ...

    async def observe(self, want: ObservationSpec) -> Observation:
        """Look at the screen once."""
        ...

    async def act(self, action: Action, *, id: str) -> ActionResult:
        """Do one action, at most once per id: the same id again gives the first result and does nothing.

        An action that fails by its own doing (bad code, unknown key) is a result with an error.

        Raises:
            ActionTimeout: It did not end in its time and was ended.
            DesktopLost: The desktop is gone.
        """
        ...

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bytes = b"",
        time_limit: float = 30.0,
    ) -> CommandResult:
        """Run a program inside, without a shell, under the sandbox's limits, and wait for its end.

        Raises:
            ActionTimeout: It ran out of time; it and its process group were killed.
        """
        ...

    async def put(self, path: str, content: bytes | Path, *, mode: int = 0o644) -> None:
        """Write a file inside (relative paths start at the home folder), making its folders."""
        ...

    async def get(self, path: str, *, limit: int = 64 << 20) -> bytes:
        """Read a plain file inside, at most `limit` bytes long."""
        ...

    async def launch(self, argv: tuple[str, ...], *, env: Mapping[str, str] | None = None) -> int:
        """Start a program inside and leave it running; return its process id inside."""
        ...

    async def wait_for(self, condition: Condition, *, time_limit: float = 10.0) -> Window | None:
        """Wait until a condition holds; a window is returned where one was waited for.

        Raises:
            ActionTimeout: It did not hold in time (never for `Settled`).
        """
        ...

    async def windows(self) -> tuple[Window, ...]:
        """The windows there are, the lowest first."""
        ...

    async def diff(self) -> tuple[Change, ...]:
        """What changed in the home folder since the start, sorted by path."""
        ...

    def record(self, target: Path, *, fps: float = 5.0) -> AbstractAsyncContextManager[Recording]:
        """Record the screen into a file while the block runs; what came of it is then in the `Recording`."""
        ...

    async def reset(self) -> None:
        """Throw everything away and start afresh."""
        ...
