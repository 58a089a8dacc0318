"""Expands the variables and nested commands of a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.lex import Part, Word, lex

_KNOWN = {
    "HOME": "~", "USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "IFS": " \t\n", "PATH": "/usr/bin:/bin",
    "?": "0", "#": "0", **dict.fromkeys("123456789@*", ""),
}  # fmt: skip
_EXPRESSION = re.compile(r"(!?)(\w+|[@*#?])(.*)", re.DOTALL)
_DEFAULT = re.compile(r"(\w+):?[-=]")
_SLICE = re.compile(r":\s*(\d{1,4})(?::\s*(\d{1,4}))?")
_REPLACE = re.compile(r"//?([^/]+)/?(.*)", re.DOTALL)
_BRACES = re.compile(r"([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)")
_MAX_FIELDS = 200
MAX_TEXT = 20_000
"""Longer values count as unknown, so that repeated doubling of a variable stays cheap."""


class Nested(NamedTuple):
    """A nested command: what it prints if that is certain, and the commands it runs."""

    text: str | None
    commands: tuple[ShellCommand, ...]


Run = Callable[[str], Nested]


@dataclass(frozen=True)
class Field:
    """One argument."""

    text: str
    known: bool = True
    sources: tuple[ShellCommand, ...] = ()
    """Commands whose unknown output is part of it."""
    content: str | None = None
    """The content of the file it names, if that is a command's output: `<(…)`."""


def expand(word: Word, variables: Mapping[str, str], run: Run) -> list[Field]:
    """Return the fields a word becomes: none, one or several."""
    if (text := word.bare) is not None and (match := _BRACES.fullmatch(text)):
        return [Field(match[1] + item + match[3]) for item in match[2].split(",")]
    if len(word.parts) == 1 and word.parts[0].kind == "process":
        nested = run(word.parts[0].value)
        return [Field("<(…)", False, nested.commands, nested.text)]
    fields: list[Field] = []
    current: list[str] = []
    known, started = True, False
    sources: tuple[ShellCommand, ...] = ()
    length = 0
    for part in word.parts:
        value, certain, inner = _value(part, variables, run)
        length += len(value)
        if length > MAX_TEXT:
            return [Field("…", False, sources + inner)]
        sources += inner
        known = known and certain
        if part.kind in ("variable", "command") and not part.quoted and certain:
            pieces = re.split(r"\s+", value)[:_MAX_FIELDS]
            for place, piece in enumerate(pieces):
                if place and (current or started):
                    fields.append(Field("".join(current), known, sources))
                    current, started = [], False
                current.append(piece)
                started = started or bool(piece)
        else:
            current.append(value)
            started = started or bool(value) or part.quoted
    if started:
        fields.append(Field("".join(current), known, sources))
    return fields


def expand_to_one_field(word: Word, variables: Mapping[str, str], run: Run) -> Field:
    """Return a word as a single field, as in an assignment or a redirection."""
    found = expand(word, variables, run)
    sources = tuple(source for field in found for source in field.sources)
    return Field(" ".join(field.text for field in found), all(field.known for field in found), sources)


def _value(part: Part, variables: Mapping[str, str], run: Run) -> tuple[str, bool, tuple[ShellCommand, ...]]:
    match part.kind:
        case "text" | "document":
            return part.value, True, ()
        case "variable":
            if "$" in part.value or "`" in part.value:
                return _nested(part.value, variables, run)
            value = _variable(part.value, variables)
            return (f"${part.value}", False, ()) if value is None else (value, True, ())
        case "command":
            nested = run(part.value)
            return ("$(…)", False, nested.commands) if nested.text is None else (nested.text.rstrip("\n"), True, ())
        case "process":
            return "<(…)", False, run(part.value).commands


def _nested(expression: str, variables: Mapping[str, str], run: Run) -> tuple[str, bool, tuple[ShellCommand, ...]]:
    """An expression with nested ones: `${x:-$(command)}`. Its commands run; only a default's value is known."""
    words = [token for token in lex(expression).tokens if isinstance(token, Word)]
    inner = [expand_to_one_field(word, variables, run) for word in words]
    default = _DEFAULT.match(expression)
    if default and not variables.get(default[1], _KNOWN.get(default[1])) and all(field.known for field in inner):
        return " ".join(field.text for field in inner)[default.end() :], True, ()
    return f"${expression}", False, tuple(source for field in inner for source in field.sources)


def _variable(expression: str, variables: Mapping[str, str]) -> str | None:
    match = _EXPRESSION.fullmatch(expression)
    if not match:
        return None
    indirect, name, rest = match.groups()
    value = variables.get(name, _KNOWN.get(name))
    if indirect:
        value = None if value is None else variables.get(value)
    if rest.startswith((":-", ":=")):
        return value or rest[2:]
    if value is None or not rest:
        return value
    if cut := _SLICE.fullmatch(rest):
        start = int(cut[1])
        full = value.replace("~", "/home/user", 1) if name == "HOME" else value
        return full[start : start + int(cut[2])] if cut[2] else full[start:]
    if rest.startswith("/") and (swap := _REPLACE.fullmatch(rest)):
        return value.replace(swap[1], swap[2], -1 if rest.startswith("//") else 1)
    return {"^^": value.upper(), ",,": value.lower()}.get(rest)
