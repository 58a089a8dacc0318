"""What carries over from action to action: pointer, keyboard focus, held keys, clipboard, and what was typed so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueline.actions.types import Point
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.shell.command import Session

MAX_LINE = 20_000
"""What is typed into one field beyond this is no longer joined."""


@dataclass
class Desk:
    """The state as far as the actions tell; `None` and `whole=False` mean that it is not known.

    It lives only while an episode is followed from its beginning; nothing outside keeps it.
    """

    pointer: Point | None = None
    focus: Target | None = None
    """What has the keyboard."""
    held: set[str] = field(default_factory=set[str])
    buttons: set[str] = field(default_factory=set[str])
    selection: str | None = None
    clipboard: str | None = None
    everything: bool = False
    """All items were selected."""
    line: str = ""
    """What was typed into the focused field so far; in a terminal, since the last Enter."""
    whole: bool = True
    """Whether `line` is all of it."""
    shell: Session = field(default_factory=Session)
    inside: str = ""
    """The program that has taken over the terminal: an editor, or one that reads its own language."""

    def leave(self, focus: Target | None) -> None:
        """Give the keyboard to something else."""
        self.focus = focus
        self.line = ""
        self.whole = True
        self.everything = False

    def add(self, text: str) -> None:
        """Type into the focused field."""
        self.everything = False
        self.line += text
        if len(self.line) > MAX_LINE:
            self.line = self.line[-MAX_LINE:]
            self.whole = False
