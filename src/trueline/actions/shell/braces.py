"""Brace expansion: `{a,b}` and `{1..3}`."""

from __future__ import annotations

import re
from itertools import pairwise

from trueline.actions.shell.syntax import WordPart

_MOST = 64
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,6}))?")
_Piece = str | WordPart
"""An unquoted character, or a part that stays whole."""


class TooManyWordsError(Exception):
    """Braces stand for more words than are looked at."""


def expand_braces(parts: tuple[WordPart, ...]) -> list[tuple[WordPart, ...]]:
    """Return the words that a word stands for.

    Raises:
        TooManyWordsError: There are too many.
    """
    if not any(part.kind == "text" and not part.quoted and "{" in part.value for part in parts):
        return [parts]
    pieces: list[_Piece] = []
    for part in parts:
        pieces += part.value if part.kind == "text" and not part.quoted else [part]
    return [_parts(found) for found in _expanded(pieces, 0)]


def _expanded(pieces: list[_Piece], depth: int) -> list[list[_Piece]]:
    if depth > 8:
        raise TooManyWordsError
    start = 0
    while True:
        try:
            opening = pieces.index("{", start)
        except ValueError:
            return [pieces]
        if alternatives := _alternatives(pieces, opening, depth):
            break
        start = opening + 1
    items, end = alternatives
    rest = _expanded(pieces[end:], depth)
    if len(items) * len(rest) > _MOST:
        raise TooManyWordsError
    return [[*pieces[:opening], *item, *tail] for item in items for tail in rest]


def _alternatives(pieces: list[_Piece], opening: int, depth: int) -> tuple[list[list[_Piece]], int] | None:
    """What a brace stands for, and the place behind it; None if it is a plain character."""
    level, commas = 0, list[int]()
    for at in range(opening, len(pieces)):
        match pieces[at]:
            case "{":
                level += 1
            case "}":
                level -= 1
                if level == 0:
                    break
            case "," if level == 1:
                commas.append(at)
            case _:
                pass
    else:
        return None
    if not commas:
        inside = pieces[opening + 1 : at]
        words = _range("".join(piece for piece in inside if isinstance(piece, str))) if _plain(inside) else None
        return None if words is None else ([list(word) for word in words], at + 1)
    places = [opening, *commas, at]
    found: list[list[_Piece]] = []
    for one, other in pairwise(places):
        found += _expanded(pieces[one + 1 : other], depth + 1)
        if len(found) > _MOST:
            raise TooManyWordsError
    return found, at + 1


def _plain(pieces: list[_Piece]) -> bool:
    return all(isinstance(piece, str) for piece in pieces)


def _range(text: str) -> list[str] | None:
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    letters = match[4] is not None
    first, last = (ord(match[4]), ord(match[5])) if letters else (int(match[1]), int(match[2]))
    step = abs(int((match[6] if letters else match[3]) or 1)) or 1
    if abs(last - first) // step >= _MOST or (not letters and re.search(r"(?:^|\.|-)0\d", text)):
        raise TooManyWordsError
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [chr(number) if letters else str(number) for number in numbers]


def _parts(pieces: list[_Piece]) -> tuple[WordPart, ...]:
    found: list[WordPart] = []
    for piece in pieces:
        if isinstance(piece, WordPart):
            found.append(piece)
        elif found and found[-1].kind == "text" and not found[-1].quoted:
            found[-1] = WordPart("text", found[-1].value + piece)
        else:
            found.append(WordPart("text", piece))
    return tuple(found)
