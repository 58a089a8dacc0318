"""What carries over from action to action: pointer, keyboard focus, held keys, clipboard, and what was typed so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueline.actions.types import Point
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.shell.command import Session

MAX_LINE = 20_000
"""What is typed into one field beyond this is no longer joined."""


class Draft(NamedTuple):
    """What stands in a line that is not entered."""

    line: str
    cursor: int
    whole: bool


@dataclass
class InputState:
    """The state as far as the actions tell; `None` and `whole=False` mean that it is not known.

    It lives only while an episode is followed from its beginning; nothing outside keeps it.
    """

    pointer: Point | None = None
    focus: Target | None = None
    """What has the keyboard."""
    perhaps: tuple[Target, ...] = ()
    """What may have it where that is not known: Tab was pressed, and these may come next."""
    held: set[str] = field(default_factory=set[str])
    buttons: set[str] = field(default_factory=set[str])
    selection: str | None = None
    clipboard: str | None = None
    everything: bool = False
    """All items were selected."""
    line: str = ""
    """What was typed into the focused field so far; in a terminal, since the last Enter."""
    cursor: int = 0
    """Where in `line` the next character goes."""
    whole: bool = True
    """Whether `line` is all of it."""
    before: str = ""
    """What the screen shows to stand in a terminal's line in front of `line`."""
    clear: bool = False
    """Whether it is certain that nothing else stands in a terminal's line and that a shell reads it."""
    stray: bool = False
    """Something was typed while it was not known what had the keyboard."""
    programmed: bool = False
    """A program has run that may have left keys held down and text typed anywhere."""
    drafts: dict[tuple[str, str, str], Draft] = field(default_factory=dict[tuple[str, str, str], Draft])
    """Lines that were left standing in terminals."""
    recalled: int = 0
    """How many lines back the arrow up has gone in a terminal."""
    shell: Session = field(default_factory=Session)
    unseen: Session = field(default_factory=Session)
    """The same, if what is entered where nothing says what has the keyboard goes to a shell."""
    inside: str = ""
    """The program that has taken over the terminal: an editor, or one that reads its own language."""

    def copy(self) -> InputState:
        """Return another one in the same state, to see what would come of something."""
        return replace(self, held=set(self.held), buttons=set(self.buttons), drafts=dict(self.drafts))

    def leave(self, focus: Target | None) -> None:
        """Give the keyboard to something else; what stands in a terminal's line stays there."""
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
        """Begin a line anew."""
        self.line = line
        self.cursor = len(line)
        self.whole = whole
        self.recalled = 0
        self.before = ""
        self.clear = False

    def add(self, text: str) -> None:
        """Type into the focused field; what is selected is replaced."""
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
