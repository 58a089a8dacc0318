"""What a strip of text says, split where its words stand so far apart that they belong to different things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

_APART = 0.6
"""Of the strip's height: blanks between words are narrower, and gaps between the entries of a menu bar are wider."""
_PADDING = 0.25
"""Of the strip's height, to each side of a piece: the reader tells where letters are, not how far they reach."""


class WordPlaces(Protocol):
    """The words of a strip as RapidOCR tells them: their letters, the columns they were read in, and of how many."""

    words: Sequence[Sequence[str]]
    word_cols: Sequence[Sequence[int]]
    line_txt_len: float


class Piece(NamedTuple):
    """A text, and where it begins and ends in its strip, in pixels."""

    text: str
    left: int
    right: int


def pieces(text: str, places: WordPlaces | None, width: int, height: int) -> tuple[Piece, ...]:
    """Split the text of a strip of this size; without places of its words it is one piece."""
    spans = [] if places is None else _spans(text, places, width)
    if not spans:
        return (Piece(text, 0, width),)
    groups = [[spans[0]]]
    for span in spans[1:]:
        if span.left - groups[-1][-1].right > _APART * height:
            groups.append([span])
        else:
            groups[-1].append(span)
    if len(groups) == 1:
        return (Piece(text, 0, width),)
    pad = _PADDING * height
    return tuple(
        Piece(
            text[group[0].start : group[-1].end],
            max(int(group[0].left - pad), 0),
            min(int(group[-1].right + pad), width),
        )
        for group in groups
    )


class _Span(NamedTuple):
    """A word: its place in the text and in the strip."""

    start: int
    end: int
    left: float
    right: float


def _spans(text: str, places: WordPlaces, width: int) -> list[_Span]:
    """The words in their order; none when they are not those of the text."""
    if places.line_txt_len <= 0:
        return []
    column = width / places.line_txt_len
    spans: list[_Span] = []
    at = 0
    for letters, columns in zip(places.words, places.word_cols, strict=True):
        word = "".join(letters)
        start = text.find(word, at)
        if start < 0 or not word:
            return []
        at = start + len(word)
        spans.append(_Span(start, at, columns[0] * column, (columns[-1] + 1) * column))
    return spans
