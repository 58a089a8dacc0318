"""What a call of a library function amounts to: its value, its effects as commands, and what it calls in turn."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from trueline.actions.python.effects import UNKNOWN, ShellEquivalent
from trueline.actions.python.values import (
    DATA,
    Instance,
    PartialText,
    PathValue,
    Unknown,
    Value,
    text_of,
)

_LONGEST_CONTENT = 5_000
Later = tuple[Value, list[Value], dict[str, Value]]
"""A function, and what it is called with."""


@dataclass(frozen=True)
class LibraryCall:
    """A call of a function of a library."""

    name: str
    args: list[Value] = field(default_factory=list[Value])
    keywords: dict[str, Value] = field(default_factory=dict[str, Value])
    owner: Value = None
    """What a method belongs to."""
    folder: str = ""
    """The working folder, if the program has changed it."""

    def arg(self, place: int, *names: str, default: Value = None) -> Value:
        """An argument by its place or one of its names."""
        if place < len(self.args):
            return self.args[place]
        return next((self.keywords[name] for name in names if name in self.keywords), default)

    def path(self, place: int, *names: str) -> str:
        """An argument that is a path."""
        return self.place_of(self.arg(place, *names))

    def place_of(self, value: Value) -> str:
        """A path as the program's working folder makes it."""
        text = path_of(value)
        relative = self.folder and not text.startswith(("/", "~", UNKNOWN))
        return f"{self.folder.rstrip('/')}/{text}" if relative else text


@dataclass(frozen=True)
class Amounts:
    """What a call amounts to."""

    value: Value = DATA
    effects: tuple[ShellEquivalent, ...] = ()
    calls: tuple[Later, ...] = ()
    """Functions that the library calls, or hands to something that does."""
    takes_callables: bool = False
    """What it is given is treated in `calls`."""


Handler = Callable[[LibraryCall], Amounts]


def path_of(value: Value) -> str:
    """A path, `$…` where it is unknown."""
    match value:
        case Instance(kind="os.DirEntry" | "file", detail=(path, *_)):
            return path
        case None | bool() | int() | float():
            return UNKNOWN
        case Unknown():
            return UNKNOWN
        case _:
            return text_of(value) or "."


def run(*words: str) -> ShellEquivalent:
    """A command by its words."""
    return ShellEquivalent(words=words)


def line(text: str) -> ShellEquivalent:
    """A line for a shell."""
    return ShellEquivalent(line=text)


def quoted(word: str) -> str:
    """A word for a shell's line; `~` keeps its meaning."""
    if word == "~":
        return word
    return "~/" + shlex.quote(word[2:]) if word.startswith("~/") and len(word) > 2 else shlex.quote(word)


def write(path: str, content: Value = DATA, *, append: bool = False) -> ShellEquivalent:
    """A file is written; with its content, where that is known and short."""
    match content:
        case str() | bytes() if UNKNOWN not in path and len(content) <= _LONGEST_CONTENT:
            text = content if isinstance(content, str) else content.decode("utf-8", "replace")
            return line(f"printf %s {shlex.quote(text)} {'>>' if append else '>'} {quoted(path)}")
        case _:
            return run("tee", "-a", path) if append else run("tee", path)


def opened(path: str, mode: Value, *, ends: str = "file") -> Amounts:
    """A file is opened."""
    known = mode if isinstance(mode, str) else "w+"
    if not set(known) & set("wax+"):
        return Amounts(Instance(ends, (path, "r")), (run("cat", path),))
    made = Instance(ends, (path, "a" if "a" in known else "w"))
    effects = (run("tee", "-a", path) if "a" in known else run("tee", path),)
    return Amounts(made, (*effects, run("cat", path)) if "+" in known else effects)


def texts(values: list[Value]) -> list[str]:
    """Values as words."""
    return [path_of(value) for value in values]


def computed(*values: Value) -> bool:
    """Whether one of the values is not certain."""
    return any(isinstance(value, Unknown | PartialText) or UNKNOWN in text_of(value) for value in values)


def as_path(text: str) -> PathValue:
    """A path."""
    return PathValue(text)
