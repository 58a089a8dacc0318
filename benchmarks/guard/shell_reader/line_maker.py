"""The pieces of generated shell lines: words, quotes, nested commands."""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass

MARKERS = tuple(f"mark{letter}" for letter in "abcdefgh")
"""The programs; each logs its name and its arguments."""
_ARGUMENTS = (
    "x", "-f", "--all=1", "a b", "it's", 'say "hi"', "# no comment", "a ) b", "; markx", "$(markx)", "`markx`", "<<E",
    "E", "done", "esac", "fi", "}", "{a,b}", "&& markx", "| sh", "\\", "$x", "a\nb", "'", '"', "*", "~", "é", "!", "",
    "in", "case",
)  # fmt: skip
_PLAIN = ("x", "-f", "one", "two.txt", "--all", "a=b", "3", "done", "fi", "esac", "in", "if", "k#v", "a,b", "%s")
MAX_DEPTH = 4
Rule = Callable[["LineMaker", int], str]


@dataclass
class LineMaker:
    """Makes one line; names are never used twice, so that what is defined is clear."""

    random: random.Random
    statements: tuple[Rule, ...]
    words: tuple[Rule, ...]
    names: int = 0

    def statement(self, depth: int) -> str:
        """A command, simple or compound, that runs at least one marker, and no line of it is left open."""
        if depth >= MAX_DEPTH:
            return self.simple(depth)
        return self.random.choice(self.statements)(self, depth + 1)

    def body(self, depth: int) -> str:
        """One or two statements, as they stand in a group; ended."""
        found = [self.statement(depth) for _ in range(self.random.choice((1, 1, 2)))]
        return "\n".join(found) + "\n"

    def one_line(self) -> str:
        """A simple command that may stand anywhere: no line end, no quotes that a place around it could not hold."""
        return self.random.choice(MARKERS) + "".join(
            f" {self.random.choice(_PLAIN)}" for _ in range(self.random.randrange(3))
        )

    def simple(self, depth: int) -> str:
        """A marker with arguments."""
        words = [self.quoted(self.random.choice(MARKERS))]
        words += [self.word(depth) for _ in range(self.random.randrange(4))]
        if self.random.random() < 0.1:
            words.insert(
                self.random.randrange(len(words) + 1), self.random.choice((">out", "2>/dev/null", "</dev/null", ">&2"))
            )
        return self.blank().join(words)

    def blank(self) -> str:
        return self.random.choice((" ", " ", " ", "  ", "\t", " \\\n "))

    def name(self, prefix: str = "v") -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def quoted(self, text: str) -> str:
        """The text in one of the ways to quote it."""
        match self.random.randrange(9):
            case 0:
                return f"'{text}'"
            case 1:
                return f'"{text}"'
            case 2:
                return "".join(f"\\{char}" for char in text)
            case 3:
                return "$'" + "".join(f"\\x{ord(char):02x}" for char in text) + "'"
            case 4:
                cut = self.random.randrange(1, len(text))
                return text[:cut] + self.random.choice(("''", '""', "\\\n", "$''")) + text[cut:]
            case 5:
                cut = self.random.randrange(1, len(text))
                return f'{text[:cut]}"{text[cut:]}"'
            case _:
                return text

    def literal(self, text: str) -> str:
        """Any text as one word."""
        match self.random.randrange(4):
            case 0:
                return '"' + "".join(f"\\{char}" if char in '"\\$`' else char for char in text) + '"'
            case 1 if "\n" not in text and text:
                return "".join(char if char.isalnum() or char in "-_=." else f"\\{char}" for char in text)
            case 2:
                escapes = {"'": "\\'", "\\": "\\\\", "\n": "\\n"}
                return "$'" + "".join(escapes.get(char, char) for char in text) + "'"
            case _:
                return shlex.quote(text)

    def word(self, depth: int) -> str:
        """An argument."""
        if depth >= MAX_DEPTH or self.random.random() < 0.6:
            pool = _ARGUMENTS if self.random.random() < 0.5 else _PLAIN
            return self.literal(self.random.choice(pool))
        return self.random.choice(self.words)(self, depth + 1)

    def substitution(self, depth: int) -> str:
        """A nested command in `$(…)` or backticks."""
        if self.random.random() < 0.25:
            return f"`{self.one_line()}`"
        if self.random.random() < 0.3:
            return f"$({self.one_line()})"
        body = self.body(depth)
        blank = " " if body.startswith("(") else self.random.choice(("", " ", "\n"))
        return f"$({blank}{body})"
