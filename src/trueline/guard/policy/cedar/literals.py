"""The literals of policies: folded as the texts they are compared with, and checked where only some words can stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from trueline.actions.facts import Effect
from trueline.actions.shell.command import Does
from trueline.guard.policy.cedar.tokens import (
    WILDCARD,
    Statement,
    Token,
    quote,
    quote_pattern,
    unescape,
    unescape_pattern,
)
from trueline.guard.policy.folding import key
from trueline.guard.policy.operations import Way
from trueline.guard.policy.rulebook import Place
from trueline.guard.policy.screen.labels import Act
from trueline.guard.policy.secrets import SecretKind
from trueline.guard.scope.types import Access, EffectKind

ORIGINS = ("instruction", "agent", "screen", "nowhere")
PLACES = ("inside", "outside", "unknown")
QUESTIONS = ("touches", "covers", "within", "anywhere")
"""Attributes that answer only what the policies ask."""
_HOWS = ("click", "double click", "right click", "middle click", "drag", "key")
_ENDS = ("done", "fail", "call_user")
_CLOSED: dict[str, tuple[str, ...]] = {
    "act": ("", *get_args(Act)),
    "place": tuple(place for place in get_args(Place) if place != "unknown"),
    "does": get_args(Does),
    "effect": get_args(Effect),
    "effects": (*get_args(EffectKind), *get_args(Access), "use", "visit"),
    "secrets": get_args(SecretKind),
    "provenance": ORIGINS,
    "scope": PLACES,
    "how": _HOWS,
    "by": get_args(Way),
    "kind": _ENDS,
}
"""Attributes whose values are known; a word that is none of them would never match, and nobody would know."""
_COMPARISONS = ("==", "!=")
_CONTAINS = ("contains", "containsAll", "containsAny")
_SINGLE = re.compile(r"\[[^!\]]\]")
"""A class of one character, which stands for itself."""
_CLASS = re.compile(r"\[.[^\]]*\]", re.DOTALL)
_CONSTRUCTORS = ("ip", "decimal", "datetime", "duration")


@dataclass(frozen=True)
class Compared:
    """A literal that an attribute is compared with."""

    attribute: str
    literal: Token


def fold_literals(statement: Statement, text: str) -> str:
    """Return a policy's text with its literals folded; annotations, names and entities stay as they are."""
    parts: list[str] = []
    end = statement.tokens[0].start
    tokens = statement.tokens
    for place, token in enumerate(tokens):
        if token.kind == "text" and place > statement.head and not _is_name(tokens, place):
            parts += (text[end : token.start], _folded(token.text, pattern=tokens[place - 1].text == "like"))
            end = token.start + len(token.text)
    last = tokens[-1]
    return "".join((*parts, text[end : last.start + len(last.text)]))


def fold_text(text: str) -> str:
    """Return the form in which texts are compared; what JSON cannot hold is replaced."""
    return key(text).encode("utf-8", "replace").decode()


def _folded(literal: str, *, pattern: bool) -> str:
    if pattern:
        return quote_pattern(fold_text(unescape_pattern(literal)))
    return quote(fold_text(unescape(literal)))


def _is_name(tokens: Sequence[Token], place: int) -> bool:
    """Whether a string is an entity's id, an attribute's name, a record's key or an extension's argument."""
    before = tokens[place - 1]
    after = tokens[place + 1].text if place + 1 < len(tokens) else ""
    if before.text in ("::", "has") or after == ":":
        return True
    held = tokens[place - 2] if place > 1 else before
    if before.text == "[":
        return after == "]" and (held.kind == "word" or held.text in (")", "]"))
    return before.text == "(" and held.text in _CONSTRUCTORS


def attributes_of(statement: Statement) -> frozenset[str]:
    """Return the names of attributes that a policy mentions."""
    tokens = statement.tokens
    return frozenset(
        token.text if token.kind == "word" else unescape(token.text)
        for place, token in enumerate(tokens)
        if place > statement.head
        and (
            (token.kind == "word" and tokens[place - 1].text in (".", "has"))
            or (token.kind == "text" and tokens[place - 1].text in ("[", "has"))
        )
    )


def actions_of(statement: Statement) -> frozenset[str]:
    """Return the actions that a policy names; none if it is about all."""
    tokens = statement.tokens
    return frozenset(
        unescape(token.text)
        for place, token in enumerate(tokens)
        if token.kind == "text" and place > 1 and (tokens[place - 2].text, tokens[place - 1].text) == ("Action", "::")
    )


def comparisons(statement: Statement) -> Iterator[Compared]:
    """Yield the literals that attributes are compared with for equality or membership."""
    tokens = statement.tokens
    for place, token in enumerate(tokens):
        if token.kind == "word" and place > 0 and tokens[place - 1].text == ".":
            yield from (Compared(token.text, literal) for literal in _after(tokens[place + 1 :]))
            yield from (Compared(token.text, literal) for literal in _before(tokens[: place - 2], tokens[place + 1 :]))


def _after(rest: Sequence[Token]) -> Iterator[Token]:
    """Literals of `attribute == "x"` and `attribute.contains("x")`."""
    if len(rest) > 1 and rest[0].text in _COMPARISONS and rest[1].kind == "text":
        yield rest[1]
    elif len(rest) > 3 and rest[0].text == "." and rest[1].text in _CONTAINS:
        yield from _listed(rest[3:])


def _before(rest: Sequence[Token], after: Sequence[Token]) -> Iterator[Token]:
    """Literals of `"x" == var.attribute` and `["x"].contains(var.attribute)`; `rest` ends before `var`."""
    if len(rest) > 1 and rest[-1].text in _COMPARISONS and rest[-2].kind == "text":
        yield rest[-2]
    elif len(rest) > 3 and rest[-1].text == "(" and rest[-2].text in _CONTAINS and rest[-4].text == "]":
        opening = max((place for place, token in enumerate(rest) if token.text == "["), default=len(rest))
        if after and after[0].text == ")":
            yield from _listed(rest[opening:])


def _listed(tokens: Sequence[Token]) -> Iterator[Token]:
    """The strings of a literal, or of a set of literals."""
    for token in tokens:
        if token.kind == "text":
            yield token
        elif token.text not in ("[", ","):
            return


def check_words(statement: Statement, groups: Sequence[str]) -> tuple[int, str] | None:
    """Return line and problem of the first word that its attribute never has.

    Args:
        statement: The policy.
        groups: The word groups that `asked` can hold.
    """
    closed = {**_CLOSED, "asked": tuple(sorted(fold_text(group) for group in groups))}
    for compared in comparisons(statement):
        word = fold_text(unescape(compared.literal.text))
        choices = closed.get(compared.attribute)
        if choices is not None and word not in choices:
            named = ", ".join(choice for choice in choices if choice)
            hint = f"choose one of {named}" if named else "the files before this one have no word groups"
            return compared.literal.line, f"{compared.attribute} is never {quote(word)}; {hint}"
    return next(_open_questions(statement), None)


def _open_questions(statement: Statement) -> Iterator[tuple[int, str]]:
    """Uses of `QUESTIONS` that do not say what they ask for."""
    asked = {id(compared.literal) for compared in comparisons(statement)}
    tokens = statement.tokens
    for place, token in enumerate(tokens):
        if token.kind == "word" and token.text in QUESTIONS and tokens[place - 1].text == ".":
            said = [literal for literal in _after(tokens[place + 1 :]) if id(literal) in asked]
            if not said or tokens[place + 1].text != ".":
                yield token.line, f'{token.text} takes only .contains("…") with the pattern itself'


def questions_of(statement: Statement) -> dict[str, frozenset[str]]:
    """Return the patterns that a policy asks `QUESTIONS` for, as they are written."""
    return {
        name: frozenset(
            unescape(compared.literal.text) for compared in comparisons(statement) if compared.attribute == name
        )
        for name in QUESTIONS
    }


def pattern_of(glob: str) -> str:
    """Write a glob of our rules as a Cedar pattern.

    Raises:
        ValueError: It uses `?` or a class of characters, which Cedar has not.
    """
    return quote_pattern(_read_glob(glob))


def is_literal(glob: str) -> bool:
    """Whether a glob fits one text only."""
    return not any(char in _SINGLE.sub("", glob) for char in "*?") and not _CLASS.search(_SINGLE.sub("", glob))


def literal_of(glob: str) -> str:
    """Write the one text that a glob fits as a literal."""
    return quote(_read_glob(glob))


def _read_glob(glob: str) -> str:
    """The text of a glob, with `WILDCARD` for stars; `[x]` is x itself."""
    found: list[str] = []
    place = 0
    while place < len(glob):
        if single := _SINGLE.match(glob, place):
            found.append(glob[place + 1])
            place = single.end()
            continue
        if glob[place] == "?" or _CLASS.match(glob, place):
            raise ValueError(f"Cedar's patterns know only *, not {glob!r}")
        found.append(WILDCARD if glob[place] == "*" else glob[place])
        place += 1
    return "".join(found)
