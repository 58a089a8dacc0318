"""Operations: what a proposal does, one after the other, as far as its actions and the screen show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from trueline.actions.facts import Effect
from trueline.actions.shell.command import ShellCommand
from trueline.guard.policy.screen.labels import Act, effect_of_act
from trueline.guard.policy.screen.target import Target


@dataclass(frozen=True)
class Ran:
    """A command runs, or may run."""

    command: ShellCommand
    line: str
    certain: bool = True
    """A terminal has the focus, or a program runs it; False when it is typed with unknown focus."""
    unseen: bool = False
    """It is entered with unknown focus: it runs if that is a terminal."""
    alone: bool = False
    """It is certain that exactly this runs: the whole shell line is known."""

    @property
    def effect(self) -> Effect:
        """The effect that the command's words show."""
        return self.command.effect if self.certain else "unknown"

    def __str__(self) -> str:
        if self.unseen:
            return f"enters {self.line!r}, and nothing shows that it is not a terminal"
        return f"runs {self.line!r}" if self.certain else f"would run {self.line!r} in a terminal"


@dataclass(frozen=True)
class Typed:
    """Text is typed or pasted into a field."""

    text: str
    """All that was typed or pasted there so far."""
    into: Target | None
    whole: bool = True
    """False when a part of the text is unknown."""
    effect: Effect = "reversible"
    certain: bool = True

    def __str__(self) -> str:
        return f"types {self.text!r} into {self.into or 'what has the keyboard'}"


@dataclass(frozen=True)
class Pressed:
    """An element is clicked, or activated by a key."""

    target: Target | None
    act: Act | None = None
    how: Literal["click", "double click", "right click", "middle click", "drag", "key"] = "click"
    many: bool = False
    """Whether everything in a list was selected before."""
    certain: bool = True

    @property
    def by_ocr(self) -> bool:
        """Whether it repeats the press before it, with a text that OCR read there."""
        return self.target is not None and self.target.by_ocr

    @property
    def effect(self) -> Effect:
        """What its label means."""
        return effect_of_act(self.act)

    def __str__(self) -> str:
        meaning = f": {self.act.replace('_', ' ')}" if self.act else ""
        return f"{self.how} on {self.target or 'something unknown'}{meaning}"


Way = Literal["typed", "link", "command"]
"""How an address is visited; a command that does so is an operation of its own."""


@dataclass(frozen=True)
class Opened:
    """An address is visited."""

    url: str
    by: Way
    certain: bool = True
    effect: Effect = "unknown"

    def __str__(self) -> str:
        return f"opens {self.url!r}"


@dataclass(frozen=True)
class Addressed:
    """Something is, or is about to be, sent to an address."""

    address: str
    sent: bool = False
    certain: bool = True
    restates: bool = False
    """It is part of a command, which is an operation of its own."""

    @property
    def effect(self) -> Effect:
        """Only what is sent leaves the machine."""
        return "egress" if self.sent else "reversible"

    def __str__(self) -> str:
        return f"{'sends to' if self.sent else 'puts in as recipient'} {self.address!r}"


@dataclass(frozen=True)
class EpisodeEnd:
    """The agent ends the episode."""

    kind: Literal["done", "fail", "call_user"]
    effect: Effect = "ends-episode"
    certain: bool = True

    def __str__(self) -> str:
        return f"ends the episode ({self.kind})"


@dataclass(frozen=True)
class Nothing:
    """It is certain that nothing changes."""

    why: str
    effect: Effect = "none"
    certain: bool = True

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class Unclear:
    """Something happens that cannot be seen from here."""

    why: str
    effect: Effect = "unknown"
    certain: bool = False

    def __str__(self) -> str:
        return self.why


Operation = Ran | Typed | Pressed | Opened | Addressed | EpisodeEnd | Nothing | Unclear


def doubtful(operation: Operation) -> Operation:
    """The same operation, marked as uncertain."""
    return (
        replace(operation, certain=False, unseen=False, alone=False)
        if isinstance(operation, Ran)
        else replace(operation, certain=False)
    )
