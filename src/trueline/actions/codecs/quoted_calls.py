"""Calls with quoted arguments, as UI-TARS writes them: `name(key='value', other="value")`, one after another.

Models often forget to escape a quote, so a quote ends its string only where the call can go on: before another
argument, or before the closing parenthesis at the end of a line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\(\s*")
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)\s*=\s*(['\"])")
_NEXT_ARGUMENT = re.compile(r"\s*,\s*(?=[A-Za-z_]\w*\s*=\s*['\"])")
_CLOSE = re.compile(r"\s*(?:,\s*)?\)[ \t\r]*(?=\n|\Z)")
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_TO_ESCAPE = str.maketrans({char: "\\" + letter for letter, char in _ESCAPED.items()})


class QuotedCall(NamedTuple):
    """One call with its arguments by name, and its text."""

    name: str
    values: dict[str, str]
    raw: str


def starts_call(text: str, position: int) -> bool:
    """Tell whether a call stands here."""
    return _NAME.match(text, position) is not None


def read_calls(text: str, position: int, between: re.Pattern[str]) -> list[QuotedCall]:
    """Read calls up to the end of the text. Raises ValueError when something else stands among them.

    Args:
        text: The text.
        position: Where the first call begins.
        between: What may stand between two calls beside space.
    """
    calls: list[QuotedCall] = []
    while position < len(text):
        call, position = _read_call(text, position)
        calls.append(call)
        position = _skip(_SPACE, text, position)
        position = _skip(between, text, position)
        position = _skip(_SPACE, text, position)
    return calls


def quote(value: str) -> str:
    """Write a value as a quoted string that `read_calls` reads back."""
    return f"'{value.translate(_TO_ESCAPE)}'"


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _read_call(text: str, start: int) -> tuple[QuotedCall, int]:
    opening = _NAME.match(text, start)
    if not opening:
        raise ValueError(f"expected an action, found {text[start : start + 40]!r}")
    name, position = opening[1], opening.end()
    values: dict[str, str] = {}
    while not (closing := _CLOSE.match(text, position)):
        argument = _ARGUMENT.match(text, position)
        if not argument or argument[1] in values:
            raise ValueError(f"expected an argument of {name}, found {text[position : position + 40]!r}")
        end = _string_end(text, argument.end(), argument[2])
        if end < 0:
            raise ValueError(f"the argument {argument[1]} of {name} does not end")
        values[argument[1]] = _ESCAPE.sub(_unescape, text[argument.end() : end])
        position = _skip(_NEXT_ARGUMENT, text, end + 1)
    return QuotedCall(name, values, text[opening.start(1) : closing.end()].rstrip()), closing.end()


def _string_end(text: str, position: int, mark: str) -> int:
    special = re.compile(rf"\\|{mark}")
    while found := special.search(text, position):
        if found[0] == "\\":
            position = found.end() + 1
        elif _NEXT_ARGUMENT.match(text, found.end()) or _CLOSE.match(text, found.end()):
            return found.start()
        else:
            position = found.end()
    return -1


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPED.get(match[1], match[0])
