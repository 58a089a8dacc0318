"""What a shell knows while it reads commands. `None` stands for what only run time tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trueline.actions.shell.command import ShellSession
from trueline.actions.shell.syntax import Statement

_PRESET = {
    "HOME": "~", "USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "IFS": " \t\n", "PATH": "/usr/bin:/bin",
}  # fmt: skip
_NUMBER = re.compile(r"-?\d*")
_SPLITS_AT = " \t\n"


@dataclass
class ShellState:
    """Variables and what else later commands depend on."""

    variables: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    arguments: tuple[str, ...] | None = ()
    """`$1`, `$2` …"""
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    functions: dict[str, tuple[Statement, ...]] = field(default_factory=dict[str, tuple[Statement, ...]])
    """The bodies that each may have."""
    files: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    folder: str | None = None
    altered: bool = False
    blind: bool = False
    """Something unknown may have set any variable."""
    patterns: set[str] = field(default_factory=set[str])
    """Variables whose value is the name of any file that fits."""

    numbers: set[str] = field(default_factory=set[str])
    """Variables that hold some number."""

    def set(self, name: str, value: str | None, *, pattern: bool = False, number: bool = False) -> None:
        """Assign a variable."""
        self.variables[name] = value
        for names, holds in ((self.patterns, pattern), (self.numbers, number)):
            names.discard(name)
            if holds:
                names.add(name)

    def is_number(self, name: str) -> bool:
        """Whether computing with a variable computes with a number, or with one that was never set."""
        if self.blind:
            return False
        value = self.variables.get(name, "")
        return name in self.numbers or (value is not None and _NUMBER.fullmatch(value) is not None)

    def value(self, name: str) -> str | None:
        """The value of a variable, if it is known."""
        return None if self.blind else self.variables.get(name, _PRESET.get(name))

    def is_set(self, name: str) -> bool:
        """Whether it may have a value; no one has named it otherwise."""
        return self.blind or name in self.variables or name in _PRESET

    @property
    def splits_plainly(self) -> bool:
        """Whether unquoted values are certainly split at blanks."""
        return self.value("IFS") == _SPLITS_AT

    def copy(self) -> ShellState:
        """An independent copy."""
        return replace(
            self,
            variables=dict(self.variables),
            aliases=dict(self.aliases),
            functions=dict(self.functions),
            files=dict(self.files),
            patterns=set(self.patterns),
            numbers=set(self.numbers),
        )

    def inner_shell(self, arguments: tuple[str, ...] | None) -> ShellState:
        """The state of another shell: which variables it is given is not known."""
        inner = self.copy()
        inner.variables = dict.fromkeys(self.variables)
        inner.arguments = arguments
        inner.aliases = {}
        return inner


def either(one: ShellState, other: ShellState) -> ShellState:
    """What is known if either state may be the right one."""
    return ShellState(
        _common(one.variables, other.variables),
        one.arguments if one.arguments == other.arguments else None,
        one.aliases | other.aliases,
        {
            name: tuple(dict.fromkeys((*one.functions.get(name, ()), *other.functions.get(name, ()))))
            for name in one.functions | other.functions
        },
        _files(one.files, other.files),
        one.folder if one.folder == other.folder else None,
        one.altered or other.altered or one.aliases != other.aliases,
        one.blind or other.blind,
        one.patterns | other.patterns,
        {name for name in one.numbers | other.numbers if one.is_number(name) and other.is_number(name)},
    )


def _common(one: Mapping[str, str | None], other: Mapping[str, str | None]) -> dict[str, str | None]:
    return {name: one[name] if name in one and one[name] == other.get(name) else None for name in {**one, **other}}


def _files(one: Mapping[str, str | None], other: Mapping[str, str | None]) -> dict[str, str | None]:
    """The contents of files; one that may have either holds the lines of both."""
    found = {**one, **other}
    for path in one.keys() & other.keys():
        first, second = one[path], other[path]
        if first != second:
            found[path] = None if first is None or second is None else f"{first}\n{second}"
    return found


def state_of(session: ShellSession) -> ShellState:
    """The state at the beginning of a line."""
    return ShellState(
        dict(session.variables),
        session.arguments,
        dict(session.aliases),
        dict(session.functions),
        dict(session.files),
        session.folder,
        session.altered,
        session.blind,
    )
