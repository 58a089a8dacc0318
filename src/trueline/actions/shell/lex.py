"""A shell line cut into words and operators. Nothing is run; what does not end is said to be incomplete."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

PartKind = Literal["text", "variable", "command", "process", "document"]

_OPERATORS = (
    "&>>", "<<<", "<<-", ";;", "&&", "||", "|&", "&>", ">>", ">|", ">&", "<<", "<&", "<>", ";", "&", "|", "(", ")", "<",
    ">", "\n",
)  # fmt: skip
_OPERATOR_STARTS = frozenset(operator[0] for operator in _OPERATORS)
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_ANSI_ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}


class Part(NamedTuple):
    """A piece of a word: text, a variable with what follows it in braces, a nested command, a here-document."""

    kind: PartKind
    value: str
    quoted: bool = False


@dataclass(frozen=True)
class Word:
    """One word before expansion."""

    parts: tuple[Part, ...]

    @property
    def bare(self) -> str | None:
        """Its text if it is a single unquoted piece; only such a word can be a shell keyword."""
        match self.parts:
            case (Part("text", value, False),):
                return value
            case _:
                return None


class Operator(NamedTuple):
    """A control or redirection operator; `fd` is the number before a redirection."""

    text: str
    fd: str = ""


Token = Word | Operator


class Lexed(NamedTuple):
    """The tokens of a text; incomplete when the shell would wait for more."""

    tokens: tuple[Token, ...]
    complete: bool = True


def lex(text: str) -> Lexed:
    """Cut a text into tokens, in time proportional to its length."""
    lexer = _Lexer(text)
    tokens = lexer.tokens()
    return Lexed(tuple(tokens), lexer.complete)


def unescape(text: str) -> str:
    r"""Replace the escapes of `$'…'`, `printf` and `echo -e` (`\x72`, `\162`, `\n`)."""
    return _ANSI_ESCAPE.sub(_escaped, text) if "\\" in text else text


def _escaped(match: re.Match[str]) -> str:
    body = match[0][1:]
    if body[0] in "01234567":
        return chr(int(body, 8) & 0xFF)
    if body[0] in "xuU" and len(body) > 1:
        number = int(body[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""
    return _SIMPLE_ESCAPES.get(body, body if body in "\\'\"?" else match[0])


def unhex(text: str) -> str | None:
    """Decode hexadecimal digits, spaces between them ignored; None when it is something else."""
    digits = "".join(text.split())
    try:
        return codecs.decode(digits, "hex").decode("utf-8", "replace") if digits else None
    except ValueError:
        return None


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.complete = True
        self.parts: list[Part] = []
        self.plain: list[str] = []
        self.in_word = False
        self.documents: list[int] = []
        """The places of words that name the end of a here-document which has not come yet."""

    def tokens(self) -> list[Token]:
        tokens: list[Token] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r":
                self._end_word(tokens)
                self.at += 1
            elif char == "#" and not self.in_word:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char in "<>" and self.text.startswith("(", self.at + 1):
                self._push(Part("process", self._group(self.at + 2, ")")))
            elif operator := self._operator():
                fd = self._file_descriptor() if operator[0] in "<>" else ""
                self._end_word(tokens)
                tokens.append(Operator(operator, fd))
                self.at += len(operator)
                if operator == "\n":
                    self._here_documents(tokens)
            else:
                self._piece(char)
        self._end_word(tokens)
        if self.documents:
            self.complete = False
        return tokens

    def _here_documents(self, tokens: list[Token]) -> None:
        """Put the lines that follow in the place of the words that name their end."""
        for place in self.documents:
            word = tokens[place]
            assert isinstance(word, Word)
            end = "".join(part.value for part in word.parts)
            quoted = any(part.quoted for part in word.parts)
            lines: list[str] = []
            while True:
                if self.at >= len(self.text):
                    self.complete = False
                    break
                line = self._line()
                self.at += len(line) + 1
                if line.strip("\t") == end:
                    break
                lines.append(line)
            tokens[place] = Word((Part("document", "\n".join([*lines, ""]), quoted),))
        self.documents.clear()

    def _line(self) -> str:
        end = self.text.find("\n", self.at)
        return self.text[self.at :] if end < 0 else self.text[self.at : end]

    def _operator(self) -> str:
        # The longest operator comes first in the table.
        char = self.text[self.at]
        if char not in _OPERATOR_STARTS:
            return ""
        return next((op for op in _OPERATORS if op[0] == char and self.text.startswith(op, self.at)), "")

    def _file_descriptor(self) -> str:
        """A number right before `>` belongs to the redirection, not to the words."""
        word = "".join(self.plain)
        if self.parts or not word.isdigit():
            return ""
        self.plain.clear()
        self.in_word = False
        return word

    def _piece(self, char: str) -> None:
        self.in_word = True
        match char:
            case "\\":
                following = self.text[self.at + 1 : self.at + 2]
                if not following:
                    self.complete = False
                elif following != "\n":
                    self._push(Part("text", following, True))
                self.at += 2
            case "'":
                self._push(Part("text", self._until("'"), True))
            case '"':
                self.at += 1
                self._double_quoted()
            case "`":
                self._push(Part("command", self._until("`").replace("\\`", "`")))
            case "$":
                self._dollar(quoted=False)
            case _:
                self.plain.append(char)
                self.at += 1

    def _double_quoted(self) -> None:
        buffer: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self._push(Part("text", "".join(buffer), True))
                self.at += 1
                return
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                buffer.append(self.text[self.at + 1].replace("\n", ""))
                self.at += 2
            elif char in "$`":
                self._push(Part("text", "".join(buffer), True))
                buffer.clear()
                if char == "$":
                    self._dollar(quoted=True)
                else:
                    self._push(Part("command", self._until("`"), True))
            else:
                buffer.append(char)
                self.at += 1
        self.complete = False
        self._push(Part("text", "".join(buffer), True))

    def _dollar(self, *, quoted: bool) -> None:
        rest = self.text[self.at + 1 : self.at + 3]
        if rest.startswith("'") and not quoted:
            self.at += 1
            self._push(Part("text", unescape(self._until("'", escapes=True)), True))
        elif rest == "((":
            self._push(Part("variable", "(" + self._group(self.at + 2, ")"), quoted))
        elif rest.startswith("("):
            self._push(Part("command", self._group(self.at + 2, ")"), quoted))
        elif rest.startswith("{"):
            self._push(Part("variable", self._group(self.at + 2, "}"), quoted))
        elif name := _NAME.match(self.text, self.at + 1):
            self._push(Part("variable", name[0], quoted))
            self.at = name.end()
        elif rest.startswith('"') and not quoted:
            self.at += 1
        else:
            self._push(Part("text", "$", quoted))
            self.at += 1

    def _until(self, quote: str, *, escapes: bool = False) -> str:
        """The text up to the closing quote; the lexer stands behind it afterwards."""
        start = at = self.at + 1
        while at < len(self.text) and self.text[at] != quote:
            at += 2 if self.text[at] == "\\" and (escapes or quote == "`") else 1
        if at >= len(self.text):
            self.complete = False
        self.at = at + 1
        return self.text[start:at]

    def _group(self, start: int, close: str) -> str:
        """The text up to the bracket that closes the group, quotes inside skipped."""
        opened = {")": "(", "}": "{"}[close]
        depth, at = 1, start
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                at += 1
            elif char in "'\"":
                end = self.text.find(char, at + 1)
                at = len(self.text) if end < 0 else end
            elif char == opened:
                depth += 1
            elif char == close:
                depth -= 1
                if depth == 0:
                    break
            at += 1
        if depth:
            self.complete = False
        self.at = at + 1
        return self.text[start:at]

    def _push(self, part: Part) -> None:
        self.in_word = True
        if self.plain:
            self.parts.append(Part("text", "".join(self.plain)))
            self.plain.clear()
        self.parts.append(part)

    def _end_word(self, tokens: list[Token]) -> None:
        if self.plain:
            self.parts.append(Part("text", "".join(self.plain)))
            self.plain.clear()
        if self.in_word:
            if tokens and isinstance(before := tokens[-1], Operator) and before.text in ("<<", "<<-"):
                self.documents.append(len(tokens))
            tokens.append(Word(tuple(self.parts)))
        self.parts = []
        self.in_word = False
