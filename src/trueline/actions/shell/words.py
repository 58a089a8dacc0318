"""Words read from their text, compared with the tree: each quote and substitution must be where the grammar saw it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trueline.actions.shell.escapes import unescape_quoted
from trueline.actions.shell.syntax import NotUnderstoodError, Word, WordPart

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_PLAIN = re.compile(r"[^\\'\"$`<>;&|() \t\n]+")
_METACHARACTERS = frozenset(";&|()<> \t\n")
_UNKNOWN = WordPart("variable", "'")
"""A text that is not known; no variable has such a name."""


class WordReader:
    """Reads words of a text whose substitutions the grammar has found."""

    def __init__(self, text: str, substitutions: Mapping[int, tuple[str, int]]) -> None:
        self.text = text
        self.substitutions = substitutions

    def word(self, start: int, end: int) -> Word:
        """The word that stands there."""
        return Word(self._parts(start, end, free=False))

    def words(self, start: int, end: int, *, blanks: str = " \t\n") -> tuple[Word, ...]:
        """The words that stand there, with blanks between them."""
        found: list[Word] = []
        at = start
        while at < end:
            if self.text[at] in blanks:
                at += 1
                continue
            stop = self._word_end(at, end)
            found.append(self.word(at, stop))
            at = stop
        return tuple(found)

    def expression(self, start: int, end: int, *, quoted: bool = False) -> Word:
        """All that stands there as one word; operators count as text."""
        return Word(self._quoted(start, end, closed=False)[0] if quoted else self._parts(start, end, free=True))

    def _word_end(self, start: int, end: int) -> int:
        at = start
        while at < end and self.text[at] not in " \t\n":
            at = self._piece_end(at, end)
        return max(at, start + 1)

    def _piece_end(self, at: int, end: int) -> int:
        char = self.text[at]
        if at in self.substitutions:
            return self.substitutions[at][1]
        if char == "\\":
            return at + 2
        if self.text.startswith("$'", at):
            return self._closing_quote(at + 2, end, escapes=True) + 1
        if char == "'":
            return self._closing_quote(at + 1, end) + 1
        if char == '"':
            return self._quoted(at + 1, end, closed=True)[1]
        return at + 1

    def _parts(self, start: int, end: int, *, free: bool) -> tuple[WordPart, ...]:
        parts: list[WordPart] = []
        at = start
        while at < end:
            char = self.text[at]
            if char == "\\":
                if at + 2 > end:
                    raise NotUnderstoodError("a word that ends in a backslash")
                parts.append(WordPart("text", self.text[at + 1], True))
                at += 2
            elif char == "'":
                stop = self._closing_quote(at + 1, end)
                parts.append(WordPart("text", self.text[at + 1 : stop], True))
                at = stop + 1
            elif char == '"':
                inner, at = self._quoted(at + 1, end, closed=True)
                parts += inner or (WordPart("text", "", True),)
            elif char == "$":
                part, at = self._dollar(at, end, quoted=False)
                parts.append(part)
            elif char == "`":
                raise NotUnderstoodError("backticks")
            elif char in "<>" and self.text.startswith("(", at + 1) and at in self.substitutions:
                _, stop = self._substitution(at, end, "process_substitution")
                parts.append(WordPart("process" if char == "<" else "consumer", self.text[at + 2 : stop - 1]))
                at = stop
            elif char in _METACHARACTERS:
                if not free or (char in "<>" and self.text.startswith("(", at + 1)):
                    raise NotUnderstoodError(f"{char!r} within a word")
                parts.append(WordPart("text", char))
                at += 1
            else:
                match = _PLAIN.match(self.text, at, end)
                assert match is not None
                parts.append(WordPart("text", match[0]))
                at = match.end()
        return _joined(parts)

    def _quoted(self, start: int, end: int, *, closed: bool) -> tuple[tuple[WordPart, ...], int]:
        """The parts of a double-quoted text, and the place behind it; arithmetic is one that is not closed."""
        parts: list[WordPart] = []
        buffer: list[str] = []
        at = start
        while at < end:
            char = self.text[at]
            if char == '"' and closed:
                parts.append(WordPart("text", "".join(buffer), True))
                return _joined(parts), at + 1
            if char == "\\" and self.text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
                buffer.append(self.text[at + 1])
                at += 2
            elif char == "$":
                parts.append(WordPart("text", "".join(buffer), True))
                buffer.clear()
                part, at = self._dollar(at, end, quoted=True)
                parts.append(part)
            elif char == "`":
                raise NotUnderstoodError("backticks")
            else:
                buffer.append(char)
                at += 1
        if closed:
            raise NotUnderstoodError("a quote that ends beyond its word")
        parts.append(WordPart("text", "".join(buffer), True))
        return _joined(parts), at

    def _dollar(self, at: int, end: int, *, quoted: bool) -> tuple[WordPart, int]:
        text = self.text
        if text.startswith("$'", at) and not quoted:
            stop = self._closing_quote(at + 2, end, escapes=True)
            plain = unescape_quoted(text[at + 2 : stop])
            return (_UNKNOWN if plain is None else WordPart("text", plain, True)), stop + 1
        if text.startswith("${", at):
            _, stop = self._substitution(at, end, "expansion")
            if text.endswith("@P", at, stop - 1):
                raise NotUnderstoodError("a value that is expanded like a prompt")
            inner = (
                self._quoted(at + 2, stop - 1, closed=False)[0] if quoted else self._parts(at + 2, stop - 1, free=True)
            )
            return WordPart("variable", text[at + 2 : stop - 1], quoted, inner), stop
        if text.startswith("$(", at):
            kind, stop = self._substitution(at, end, "command_substitution", "arithmetic_expansion")
            if kind == "command_substitution":
                return WordPart("command", text[at + 2 : stop - 1], quoted), stop
            if not (text.startswith("$((", at) and text.startswith("))", stop - 2)):
                raise NotUnderstoodError("arithmetic that is not in double brackets")
            inner, _ = self._quoted(at + 3, stop - 2, closed=False)
            return WordPart("arithmetic", text[at + 3 : stop - 2], quoted, inner), stop
        if text.startswith("$[", at):
            raise NotUnderstoodError("`$[`")
        name = _NAME.match(text, at + 1, end)
        return (WordPart("variable", name[0], quoted), name.end()) if name else (WordPart("text", "$", quoted), at + 1)

    def _substitution(self, at: int, end: int, *kinds: str) -> tuple[str, int]:
        kind, stop = self.substitutions.get(at, ("", 0))
        closing = self.text[stop - 1 : stop]
        if kind not in kinds or not at + 2 < stop <= end or closing != ("}" if kind == "expansion" else ")"):
            raise NotUnderstoodError("a substitution that the grammar does not see")
        return kind, stop

    def _closing_quote(self, start: int, end: int, *, escapes: bool = False) -> int:
        at = start
        while at < end and self.text[at] != "'":
            at += 2 if escapes and self.text[at] == "\\" else 1
        if at >= end:
            raise NotUnderstoodError("a quote that ends beyond its word")
        return at


def _joined(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Neighbouring texts of the same kind as one; empty ones go where they say nothing."""
    found: list[WordPart] = []
    quoted = any(part.quoted and (part.value or part.kind != "text") for part in parts)
    for part in parts:
        if part.kind == "text" and not part.value and (quoted or not part.quoted):
            continue
        if found and part.kind == found[-1].kind == "text" and part.quoted == found[-1].quoted:
            found[-1] = WordPart("text", found[-1].value + part.value, part.quoted)
        else:
            found.append(part)
    if not found and parts:
        return (WordPart("text", "", any(part.quoted for part in parts)),)
    return tuple(found)
