"""Cedar's text as tokens: where each policy begins, and the literals in it with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*)
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>::|==|!=|<=|>=|&&|\|\||\?\w+|\d+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x(?P<byte>[0-9A-Fa-f]{2})|u\{(?P<code>[0-9A-Fa-f]{1,6})\}|(?P<char>.))", re.DOTALL)
_CHARS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
WILDCARD = "\ue000"
"""Stands for the star of a pattern while its text is changed; a private character, which no text keeps."""


@dataclass(frozen=True)
class Token:
    """One word, sign or string."""

    kind: Literal["text", "word", "sign"]
    text: str
    start: int
    """Its offset in the file."""
    line: int
    """Counted from 1."""


@dataclass(frozen=True)
class Statement:
    """The tokens of one policy, up to its semicolon."""

    tokens: tuple[Token, ...]

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.tokens[0].line

    def source(self, text: str) -> str:
        """Its part of the file."""
        last = self.tokens[-1]
        return text[self.tokens[0].start : last.start + len(last.text)]

    @property
    def annotations(self) -> dict[str, str]:
        """Its annotations; one without a value is empty."""
        found: dict[str, str] = {}
        for place, token in enumerate(self.tokens[: self.head]):
            if token.text == "@" and token.kind == "sign":
                rest = self.tokens[place + 1 : place + 4]
                given = len(rest) == 3 and rest[1].text == "(" and rest[2].kind == "text"
                found[rest[0].text] = unescape(rest[2].text) if given else ""
        return found

    @property
    def head(self) -> int:
        """The place of `permit` or `forbid`; the annotations stand before it."""
        for place, token in enumerate(self.tokens):
            annotation = place > 0 and self.tokens[place - 1].text == "@"
            if token.kind == "word" and token.text in ("permit", "forbid") and not annotation:
                return place
        return len(self.tokens)

    @property
    def forbids(self) -> bool:
        """Whether it is a forbid."""
        return self.head < len(self.tokens) and self.tokens[self.head].text == "forbid"


def split_statements(text: str) -> tuple[Statement, ...]:
    """Split a file into its policies; what follows the last semicolon is one that is not finished."""
    found: list[Statement] = []
    tokens: list[Token] = []
    for token in _tokens(text):
        tokens.append(token)
        if token.kind == "sign" and token.text == ";":
            found.append(Statement(tuple(tokens)))
            tokens = []
    return (*found, Statement(tuple(tokens))) if tokens else tuple(found)


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        match match.lastgroup:
            case "text" | "word" | "sign" as kind:
                yield Token(kind, match[0], match.start(), line)
            case _:
                pass
        line += match[0].count("\n")


def depth(tokens: Sequence[Token]) -> int:
    """How deep brackets are nested."""
    deepest = now = 0
    for token in tokens:
        if token.kind == "sign":
            now += (token.text in "([{") - (token.text in ")]}")
            deepest = max(deepest, now)
    return deepest


def unescape(literal: str) -> str:
    """The text that a literal stands for."""
    return _ESCAPE.sub(_char, literal[1:-1])


def unescape_pattern(literal: str) -> str:
    r"""The text of a pattern, `WILDCARD` for each star; `\*` is a star itself."""
    parts: list[str] = []
    end = 0
    inside = literal[1:-1]
    for match in _ESCAPE.finditer(inside):
        parts += (inside[end : match.start()].replace("*", WILDCARD), _char(match))
        end = match.end()
    return "".join((*parts, inside[end:].replace("*", WILDCARD)))


def _char(match: re.Match[str]) -> str:
    if code := match["byte"] or match["code"]:
        return chr(int(code, 16))
    return _CHARS.get(match["char"], match["char"])


def quote(text: str) -> str:
    """Write a text as a literal; control and invisible characters are escaped."""
    return f'"{"".join(_written(char) for char in text)}"'


def quote_pattern(text: str) -> str:
    """Write a pattern as a literal, with `WILDCARD` for stars."""
    return f'"{"".join("*" if char == WILDCARD else _written(char, star=True) for char in text)}"'


def _written(char: str, *, star: bool = False) -> str:
    if char in '"\\' or (star and char == "*"):
        return f"\\{char}"
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"
