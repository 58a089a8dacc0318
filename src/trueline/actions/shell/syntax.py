"""The syntax of shell text: words with their parts, and the statements made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

PartKind = Literal["text", "variable", "arithmetic", "command", "process", "consumer"]
"""`process` is `<(…)`, which is read from, `consumer` is `>(…)`."""


class NotUnderstoodError(Exception):
    """The text cannot be read with certainty; its message says why."""


class UnfinishedError(Exception):
    """A shell would wait for more lines."""


class WordPart(NamedTuple):
    """A piece of a word: text, a variable or what stands in its braces, arithmetic, a nested command."""

    kind: PartKind
    value: str
    quoted: bool = False
    inner: tuple[WordPart, ...] = ()
    """The pieces of what stands in `${…}` or `$((…))`."""


@dataclass(frozen=True)
class Word:
    """One word before expansion."""

    parts: tuple[WordPart, ...]

    @property
    def bare(self) -> str | None:
        """Its text if it is a single unquoted piece."""
        match self.parts:
            case (WordPart("text", value, False),):
                return value
            case _:
                return None


class Redirection(NamedTuple):
    """Where input comes from or output goes to."""

    operator: str
    target: Word
    fd: str = ""


@dataclass(frozen=True)
class Assignment:
    """`NAME=value`; an array or one of its elements has no single value."""

    name: str
    words: tuple[Word, ...]
    append: bool = False
    array: bool = False


@dataclass(frozen=True)
class Simple:
    """A command with its words."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    declares: bool = False
    """Whether its operands are assignments too: `export`, `declare`, `local` …"""


@dataclass(frozen=True)
class Pipe:
    """Statements joined by pipes; each runs in a shell of its own."""

    stages: tuple[Statement, ...]


@dataclass(frozen=True)
class Chain:
    """Statements joined by `&&` and `||`; all but the first may be skipped."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Group:
    """Statements whose outputs go the same way."""

    body: Script
    redirections: tuple[Redirection, ...] = ()
    apart: bool = False
    """Whether it runs in a shell of its own: in parentheses, or in the background."""


@dataclass(frozen=True)
class Choice:
    """`if` and `case`: what is looked at first, and what may run then."""

    words: tuple[Word, ...]
    first: Script
    branches: tuple[Script, ...]


@dataclass(frozen=True)
class Loop:
    """A body that runs any number of times, once for each value of a name if there is one."""

    body: Script
    name: str = ""
    words: tuple[Word, ...] | None = None
    """The values; None for those that only run time tells."""


@dataclass(frozen=True)
class Function:
    """A definition; its body runs when it is called."""

    name: str
    body: Statement


@dataclass(frozen=True)
class Expression:
    """`[[ … ]]` and `((…))`: nothing runs but what its words hold."""

    words: tuple[Word, ...]
    arithmetic: bool
    """Whether values may be computed with: a variable's text is then an expression itself."""


Statement = Simple | Pipe | Chain | Group | Choice | Loop | Function | Expression
Script = tuple[Statement, ...]
