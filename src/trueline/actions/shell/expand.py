"""Expands the braces, variables and nested commands of a word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions.shell.braces import TooManyWordsError, expand_braces
from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.state import ShellState
from trueline.actions.shell.syntax import PartKind, Word, WordPart

_EXPRESSION = re.compile(r"(!?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(.*)", re.DOTALL)
_SLICE = re.compile(r":\s*(\d{1,4})(?::\s*(\d{1,4}))?")
_REPLACE = re.compile(r"//?([\w.-]+)/?([\w ./-]*)", re.ASCII)
_WILDCARD = re.compile(r"[*?]|\[.+\]|[@+!]\(", re.DOTALL)
_INDEX = re.compile(r"\[([^\]]*)\]")
_SLICED = re.compile(r"!?(?:\w+|[@*])(?:\[[^\]]*\])?:(?![-=+?])")
_AFFIX = re.compile(r"(##?|%%?)([\w./-]+)", re.ASCII)
_BLANKS = re.compile(r"[ \t\n]+")
_MAX_FIELDS = 200
MAX_TEXT = 20_000
"""Longer values count as unknown, so that repeated doubling of a variable stays cheap."""


class Nested(NamedTuple):
    """A nested command: what it prints if that is certain, and the commands it runs."""

    text: str | None
    commands: tuple[ShellCommand, ...]


Run = Callable[[str, PartKind], Nested]
"""Evaluates a nested command; arithmetic is looked through for what it assigns."""


@dataclass(frozen=True)
class Field:
    """One argument."""

    text: str
    known: bool = True
    sources: tuple[ShellCommand, ...] = ()
    """Commands whose unknown output is part of it."""
    content: str | None = None
    """The content of the file it names, if that is a command's output: `<(…)`."""
    pattern: bool = False
    """Whether names of files may take its place."""
    several: bool = False
    """Whether it may be no argument at all, or many."""


class _Value(NamedTuple):
    text: str
    known: bool = True
    sources: tuple[ShellCommand, ...] = ()
    pattern: bool = False


def expand(word: Word, state: ShellState, run: Run) -> list[Field]:
    """Return the fields a word becomes: none, one or several."""
    try:
        words = expand_braces(word.parts)
    except TooManyWordsError:
        text, _, sources, _ = _text(word.parts, state, run)
        return [Field(text, False, sources, several=True)]
    return [field for parts in words for field in _fields(parts, state, run)]


def expand_to_one_field(word: Word, state: ShellState, run: Run) -> Field:
    """Return a word as a single field, as in an assignment or a redirection."""
    if len(word.parts) == 1 and word.parts[0].kind == "process":
        return _fields(word.parts, state, run)[0]
    text, known, sources, pattern = _text(word.parts, state, run)
    return Field(text, known, sources, pattern=pattern)


def _text(parts: tuple[WordPart, ...], state: ShellState, run: Run) -> _Value:
    """The text of parts that are not split."""
    values = [_value(part, state, run) for part in parts]
    sources = tuple(source for value in values for source in value.sources)
    text = "".join(value.text for value in values)
    if len(text) > MAX_TEXT:
        return _Value("…", False, sources)
    return _Value(text, all(value.known for value in values), sources, any(value.pattern for value in values))


def _fields(parts: tuple[WordPart, ...], state: ShellState, run: Run) -> list[Field]:
    if len(parts) == 1 and parts[0].kind == "process":
        nested = run(parts[0].value, parts[0].kind)
        return [Field("<(…)", False, nested.commands, nested.text)]
    if len(parts) == 1 and parts[0].kind == "variable" and parts[0].value == "@" and parts[0].quoted:
        if state.arguments is None:
            return [Field('"$@"', False, several=True)]
        return [Field(text) for text in state.arguments]
    fields: list[Field] = []
    current: list[str] = []
    known, started, pattern, several = True, False, False, False
    sources: tuple[ShellCommand, ...] = ()
    length = 0
    for part in parts:
        value, certain, inner, unsure = _value(part, state, run)
        pattern = pattern or unsure
        length += len(value)
        if length > MAX_TEXT:
            return [Field("…", False, sources + inner, several=True)]
        sources += inner
        splits = part.kind in ("variable", "command", "arithmetic") and not part.quoted
        if splits and certain and not state.splits_plainly and value:
            certain = False
        if part.kind == "variable" and part.value == "@":
            certain = False  # it begins and ends several words
        known = known and certain
        list_of = part.kind == "variable" and (part.value.startswith(("@", "!")) or "[@]" in part.value)
        several = several or (not certain and (splits or list_of))
        if splits and certain:
            pattern = pattern or _WILDCARD.search(value) is not None
            pieces = _BLANKS.split(value)[:_MAX_FIELDS]
            for place, piece in enumerate(pieces):
                if place and (current or started):
                    if started:
                        fields.append(Field("".join(current), known, sources, pattern=pattern))
                    current, started = [], False
                current.append(piece)
                started = started or bool(piece)
        else:
            current.append(value)
            started = started or bool(value) or part.quoted
            pattern = pattern or (part.kind == "text" and not part.quoted and _WILDCARD.search(value) is not None)
    if started:
        fields.append(Field("".join(current), known, sources, pattern=pattern, several=several))
    return fields


def _value(part: WordPart, state: ShellState, run: Run) -> _Value:
    match part.kind:
        case "text":
            return _Value(part.value)
        case "variable":
            return _variable(part, state, run)
        case "arithmetic":
            inner = _text(part.inner, state, run)
            nested = run(inner.text if inner.known else part.value, "arithmetic")
            return _Value(f"$(({part.value}))", False, (*inner.sources, *nested.commands))
        case "command":
            nested = run(part.value, "command")
            if nested.text is None:
                return _Value("$(…)", False, nested.commands)
            return _Value(nested.text.rstrip("\n"))
        case "process" | "consumer":
            return _Value("<(…)", False, run(part.value, part.kind).commands)


def _variable(part: WordPart, state: ShellState, run: Run) -> _Value:
    """A variable, or an expression in braces. Commands nested in it run; only some values are known."""
    inner = _text(part.inner, state, run) if part.inner else _Value(part.value)
    unknown = _Value(f"${part.value}", False, inner.sources)
    match = _EXPRESSION.fullmatch(part.value)
    if match is None:
        return _length(part.value, state) or unknown
    indirect, name, rest = match.groups()
    value = _named(name, state)
    if indirect:
        value = None if value is None or rest else _named(value, state)
    elif rest:
        value = _changed(name, value, rest, inner, state)
    for computed in _computed(part.value):
        nested = run(computed, "arithmetic")
        unknown = _Value(unknown.text, False, (*unknown.sources, *nested.commands))
    return unknown if value is None else _Value(value, pattern=name in state.patterns)


def _computed(expression: str) -> list[str]:
    """What is computed in an expression: an index, and where a slice begins."""
    found = [index for index in _INDEX.findall(expression) if index not in ("@", "*")]
    slice_of = _SLICED.match(expression)
    return [*found, *([expression[slice_of.end() :]] if slice_of else [])]


def _named(name: str, state: ShellState) -> str | None:
    """The value of a variable or of an argument."""
    arguments = state.arguments
    if name.isdigit() and name != "0":
        if arguments is None:
            return None
        return arguments[int(name) - 1] if int(name) <= len(arguments) else ""
    if name in ("@", "*"):
        return None if arguments is None or (arguments and not state.splits_plainly) else " ".join(arguments)
    if name == "#":
        return None if arguments is None else str(len(arguments))
    return state.value(name)


def _length(expression: str, state: ShellState) -> _Value | None:
    value = _named(expression[1:], state) if re.fullmatch(r"#[A-Za-z_]\w*", expression, re.ASCII) else None
    return None if value is None or value.startswith("~") else _Value(str(len(value)))


def _changed(name: str, value: str | None, rest: str, inner: _Value, state: ShellState) -> str | None:
    """The value of `${name…}`."""
    operator = rest[:2] if rest.startswith(":") and rest[1:2] in ("-", "=", "+", "?") else rest[:1]
    if operator in (":-", ":=", "-", "=", ":+", "+", ":?", "?"):
        missing = not state.is_set(name) and not name.isdigit() and name not in "@*#?$!-"
        known = inner.known and inner.text.startswith(name + operator)
        default = inner.text[len(name + operator) :] if known else None
        if operator.endswith("="):
            value = default if (missing or (operator == ":=" and value == "")) else value
            state.set(name, value)
            return value
        if value is None and not missing:
            return None
        empty = not value
        if operator.endswith("-"):
            return (default if operator[0] == ":" or missing else value) if empty else value
        if operator.endswith("+"):
            return None if operator == "+" and not missing else "" if empty else default
        return None if empty else value
    if value is None:
        return None
    if cut := _SLICE.fullmatch(rest):
        start = int(cut[1])
        full = value.replace("~", "/home/user", 1) if name == "HOME" else value
        if name in ("@", "*"):
            return None
        return full[start : start + int(cut[2])] if cut[2] else full[start:]
    if affix := _AFFIX.fullmatch(rest):
        return value.removeprefix(affix[2]) if affix[1][0] == "#" else value.removesuffix(affix[2])
    if rest.startswith("/") and (swap := _REPLACE.fullmatch(rest)):
        return value.replace(swap[1], swap[2], -1 if rest.startswith("//") else 1)
    return {"^^": value.upper(), ",,": value.lower()}.get(rest)
