"""What carries over from action to action: pointer, keyboard focus, held keys, clipboard, and what was typed so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueline.actions.shell.command import ShellSession
from trueline.actions.types import Point
from trueline.guard.policy.screen.target import Target

MAX_LINE = 20_000
"""Longest text of one field that is tracked."""


TYPED = ShellSession(interactive=True)
"""A terminal in which nothing was typed yet."""


class Draft(NamedTuple):
    """An unfinished line of a terminal."""

    line: str
    cursor: int
    whole: bool


@dataclass
class InputState:
    """The state as far as the actions show; `None` and `whole=False` mean unknown.

    It lives only while an episode is followed from its beginning; nothing outside keeps it.
    """

    pointer: Point | None = None
    focus: Target | None = None
    """The element with the keyboard focus."""
    perhaps: tuple[Target, ...] = ()
    """Elements that may have the focus after Tab was pressed."""
    held: set[str] = field(default_factory=set[str])
    buttons: set[str] = field(default_factory=set[str])
    selection: str | None = None
    clipboard: str | None = None
    everything: bool = False
    """All items were selected."""
    line: str = ""
    """The text typed into the focused field so far; in a terminal, since the last Enter."""
    cursor: int = 0
    """Where in `line` the next character goes."""
    whole: bool = True
    """Whether `line` is complete."""
    before: str = ""
    """The text that the screen shows in a terminal's line before `line`."""
    clear: bool = False
    """Whether a terminal's line certainly has no other text and is read by a shell."""
    stray: bool = False
    """Whether text was typed while the focus was unknown."""
    programmed: bool = False
    """Whether a program has run that may have held keys down or typed text anywhere."""
    drafts: dict[tuple[str, str, str], Draft] = field(default_factory=dict[tuple[str, str, str], Draft])
    """Unfinished lines of other terminals, by place."""
    recalled: int = 0
    """How many lines back the terminal's history was recalled with the arrow keys."""
    shell: ShellSession = TYPED
    unseen: ShellSession = TYPED
    """The shell session under the assumption that lines entered with unknown focus reach it."""
    inside: str = ""
    """The program that has taken over the terminal: an editor, or one that reads its own language."""

    def copy(self) -> InputState:
        """Return an independent copy, for trying something out."""
        return replace(self, held=set(self.held), buttons=set(self.buttons), drafts=dict(self.drafts))

    def leave(self, focus: Target | None) -> None:
        """Move the focus; an unfinished line of a terminal is remembered."""
        if self.focus is None:
            self.stray = self.stray or bool(self.line)
        elif self.focus.is_terminal and (self.line or not self.whole):
            self.drafts[self.focus.place] = Draft(self.line, self.cursor, self.whole)
        self.focus = focus
        self.perhaps = ()
        self.everything = False
        self.unseen = self.shell
        self.start()
        if focus is not None and (left := self.drafts.pop(focus.place, None)):
            self.line, self.cursor, self.whole = left

    def start(self, line: str = "", *, whole: bool = True) -> None:
        """Start a new line."""
        self.line = line
        self.cursor = len(line)
        self.whole = whole
        self.recalled = 0
        self.before = ""
        self.clear = False

    def add(self, text: str) -> None:
        """Insert text into the focused field, replacing the selection."""
        if self.everything:
            self.start()
            self.everything = False
        self.line = self.line[: self.cursor] + text + self.line[self.cursor :]
        self.cursor += len(text)
        if len(self.line) > MAX_LINE:
            self.start(self.line[-MAX_LINE:], whole=False)

    @property
    def busy(self) -> bool:
        """Whether a key or a button may be held down."""
        return bool(self.held or self.buttons or self.programmed)

    def move(self, to: int) -> None:
        """Put the cursor somewhere in the line."""
        self.cursor = min(max(to, 0), len(self.line))

    def cut(self, start: int, end: int) -> None:
        """Take a part out of the line."""
        start, end = max(start, 0), min(end, len(self.line))
        self.line = self.line[:start] + self.line[end:]
        self.cursor = start
