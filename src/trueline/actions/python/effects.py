"""What a Python program does, as far as its source shows: commands, input, the clipboard, what is not understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions.types import Action

UNKNOWN = "$…"
"""Stands for a text, or a part of one, that a program computes."""


class ShellEquivalent(NamedTuple):
    """One effect of a program as the command that has the same effect.

    Reading a file is `cat`, listing a folder `ls`, writing `tee` or a redirection, deleting `rm`, and so on.
    """

    words: tuple[str, ...] = ()
    line: str | None = None
    """A whole line for a shell."""
    unseen: str = ""
    """Why what it runs or reaches is unknown; empty if it is known."""


@dataclass(frozen=True)
class ProgramInput:
    """Keyboard and mouse actions of a program."""

    actions: tuple[Action, ...]
    certain: bool = True
    """Whether they happen whenever the program runs; False in a branch that may not be taken."""


@dataclass(frozen=True)
class ClipboardSet:
    """A program puts something on the clipboard."""

    text: str | None
    """None when the program computes it."""
    primary: bool = False
    """It is X's primary selection, which the middle button pastes."""
    certain: bool = True


ProgramEffect = ShellEquivalent | ProgramInput | ClipboardSet


@dataclass(frozen=True)
class PythonProgram:
    """The effects of a program in the order in which its source brings them about.

    What runs is among them, or one of them says that something is not understood.
    """

    effects: tuple[ProgramEffect, ...] = ()

    @property
    def equivalents(self) -> tuple[ShellEquivalent, ...]:
        """The effects besides input and clipboard."""
        return tuple(effect for effect in self.effects if isinstance(effect, ShellEquivalent))

    @property
    def clipboard(self) -> str | None:
        """What it leaves on the clipboard, None when that is not known."""
        copies = [effect for effect in self.effects if isinstance(effect, ClipboardSet) and not effect.primary]
        return copies[-1].text if copies and copies[-1].certain else None
