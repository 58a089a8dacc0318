"""Whether what a simulated user says gives the solution away. Pure functions.

This looks at words: it finds ways of saying how, and the values that the checker expects, however they are spelt. A
meaning in quite other words passes; the prompt forbids it, nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from trueline.runs.retries.spelling import number_in, pattern_of, spelled_in

_SHORTEST = 4
"""Shorter words of a checker (`txt`, `No`) stand in any sentence by chance; numbers count whatever their length."""
_COMMON = frozenset({"true", "false", "none", "null"})
_EXPECTS = ("expected", "rules")
"""Where a checker says what must come out; all else in it says where to look, and how to compare."""
_GRAMMAR = re.compile(
    r"type:?|method|func|conj|sheet_idx\d*|\w*index|threshold|tolerance|relativetime|relation|exclude|unexpect"
    r"|ignore_\w+|trim_\w+|normalization",
    re.IGNORECASE,
)
"""Words of a checker's own language inside that, and what must not come out."""

_MODIFIER = r"ctrl|control|alt|shift|super|cmd|command"
_NAMED = r"enter|return|escape|esc|tab|delete|backspace|space ?bar|f\d{1,2}|(?:arrow|page|home|end)\b"
_PROGRAM = (
    r"sudo|apt-get|chmod|chown|mkdir|rmdir|sed|awk|grep|mv|cp|rm|ls|pip3?|npm|curl|wget|unzip|gsettings|crontab|systemctl"
    r"|ffmpeg|soffice"
)
_PROGRAM_OR_WORD = r"apt|bash|cat|cd|echo|find|git|python3?|sh|tar|touch"
_HOW = (
    ("code", re.compile(r"```|`[^`\n]+`|\b(?:pyautogui|subprocess|import os)\b")),
    ("a command", re.compile(rf"(?:^|\s)(?:{_PROGRAM})\s+[-/~.\w]")),
    (
        "a command",
        re.compile(rf"(?i)\b(?:run|type|execute)\s+(?:the\s+)?(?:command\s+)?(?:{_PROGRAM}|{_PROGRAM_OR_WORD})\b"),
    ),
    ("a command", re.compile(r"(?:^|\s)[a-z][\w.]*\s+--?[a-zA-Z]")),
    ("a command", re.compile(r"(?i)\b(?:type|enter|run|execute)\b[^.!?\n]{1,80}\b(?:terminal|shell|console|prompt)\b")),
    ("coordinates", re.compile(r"\(\s*\d{1,4}\s*,\s*\d{1,4}\s*\)|(?i:\bx\s*[=:]?\s*\d+\W+(?:and\s+)?y\s*[=:]?\s*\d+)")),
    ("coordinates", re.compile(r"(?i)\b(?:click|point|move|go)\w*\s+(?:\w+\s+){0,3}\d{2,4}\s*(?:,|x|by)\s*\d{2,4}\b")),
    ("a key", re.compile(rf"(?i)\b(?:{_MODIFIER})\s*(?:[+-]|\band\b|\bplus\b)\s*\w+|\b(?:ctrl|alt)\s+\w\b")),
    ("a key", re.compile(rf"(?i)\b(?:press|hit|push|hold)\w*\s+(?:down\s+)?(?:the\s+)?(?:{_MODIFIER}|{_NAMED})")),
    ("a key", re.compile(r"(?i)\b(?:keyboard\s+shortcut|hotkey|key\s+combination)\b")),
    (
        "a formula",
        re.compile(r"=\s*[A-Z]{2,}\s*\(|\b[A-Z]{2,}\s*\(\s*\$?[A-Z]{1,3}\$?\d|\b[A-Z]{3,}\s+(?:function|formula)\b"),
    ),
    ("a menu path", re.compile(r"\w\s*(?:->|=>|→|›|»|>)\s*\w")),
    ("a menu path", re.compile(r"(?<=[a-z,] )[A-Z]\w+(?:\s[A-Z]\w+)?,?\s+(?:and\s+)?then\s+(?:\w+\s+){0,3}[A-Z]\w+")),
    ("a menu path", re.compile(r"(?i)\b(?:in|from|through|under|via|open|use)\s+the\s+(?:\w+\s+){0,3}menu\b")),
    (
        "a click",
        re.compile(r"(?i)\b(?:double-|right-|left-)?click\s+(?:on|at|in|the|it|there)\b|\b(?:un)?tick\s+the\b"),
    ),
)


def secrets_of(evaluator: JsonValue, instruction: str) -> tuple[str, ...]:
    """The values that a checker expects and the instruction does not say."""
    known = spelled_in(instruction)
    found = {secret for value in _expected(evaluator) for secret in _secrets(value)}
    return tuple(sorted(secret for secret in found if not pattern_of(secret).search(known)))


def leaks(message: str, secrets: Iterable[str]) -> tuple[str, ...]:
    """The parts of a message that reveal how to do the task or its result; empty if none do."""
    found = [name for name, pattern in _HOW if pattern.search(message)]
    said = spelled_in(message)
    found += [f"an expected value ({secret[:40]!r})" for secret in secrets if pattern_of(secret).search(said)]
    return tuple(dict.fromkeys(found))


def _expected(value: JsonValue) -> Iterator[JsonValue]:
    """The parts of a checker that say what must come out."""
    if isinstance(value, list):
        for item in value:
            yield from _expected(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _EXPECTS:
                yield item
            else:
                yield from _expected(item)


def _secrets(value: JsonValue) -> Iterator[str]:
    """The values inside an expectation that could be revealed: text line by line, and numbers."""
    if isinstance(value, dict):
        # A file or a command that gives the right answer elsewhere is named here, not the answer.
        getter = isinstance(value.get("type"), str) and not any(key in value for key in _EXPECTS) and "path" in value
        for key, item in () if getter else value.items():
            if not _GRAMMAR.fullmatch(key):
                yield from _secrets(item)
    elif isinstance(value, list):
        for item in value:
            yield from _secrets(item)
    elif isinstance(value, str):
        for line in value.splitlines():
            yield from _of_line(line)
    elif value is not None and not isinstance(value, bool):
        yield f"{value:g}" if isinstance(value, float) else str(value)


def _of_line(line: str) -> Iterator[str]:
    if (number := number_in(line)) is not None:
        yield number
        return
    letters = "".join(char for char in line.casefold() if char.isalnum())
    if len(letters) >= _SHORTEST and letters not in _COMMON:
        yield line.strip()
