"""What a strip of text says, split where its words stand so far apart that they belong to different things."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trueline.desktop.screen.frame import Pixels

_APART, _LETTERS = 0.38, 1.6
"""The smallest gap between two pieces, as shares of the strip's height and of a letter's width. A blank is narrower
than one of them, even in a fixed-width font; the gap between two entries of a menu bar is wider than both."""
_INK = 48
"""How much a channel must differ from the background to be part of a letter."""


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


def pieces(text: str, places: WordPlaces | None, strip: Pixels) -> tuple[Piece, ...]:
    """Split the text of a strip; without the places of its words it is one piece."""
    height, width, _ = strip.shape
    words = [] if places is None else _words(text, places, width)
    empty = _empty_columns(strip) if len(words) > 1 else np.zeros(0, np.bool_)
    apart = 0.0 if places is None or not words else max(_APART * height, _LETTERS * _letter(places, width))
    found: list[Piece] = []
    start = left = 0
    for word, following in pairwise(words):
        gap = _widest(empty, word.last, following.first)
        if gap.right - gap.left > apart:
            middle = (gap.left + gap.right) // 2
            found.append(Piece(text[start : word.end].strip(), left, middle))
            start, left = word.end, middle
    return (*found, Piece(text[start:].strip(), left, width))


class _Word(NamedTuple):
    """Where a word ends in the text, and about where its first and last letters stand in the strip."""

    end: int
    first: int
    last: int


def _words(text: str, places: WordPlaces, width: int) -> list[_Word]:
    """The words in their order; none when they are not those of the text."""
    if places.line_txt_len <= 0:
        return []
    column = width / places.line_txt_len
    found: list[_Word] = []
    end = 0
    for letters, columns in zip(places.words, places.word_cols, strict=True):
        word = "".join(letters)
        start = text.find(word, end)
        if start < 0 or not word:
            return []
        end = start + len(word)
        # Places are true to about a column, so one more is looked at to each side of a gap.
        found.append(_Word(end, int((columns[0] + 2) * column), int((columns[-1] - 1) * column)))
    return found


def _letter(places: WordPlaces, width: int) -> float:
    """How far letters are from each other, on average."""
    columns = sum(word[-1] - word[0] for word in places.word_cols)
    steps = sum(len(word) - 1 for word in places.word_cols)
    return columns * width / places.line_txt_len / max(steps, 1)


class _Gap(NamedTuple):
    left: int
    right: int


def _empty_columns(strip: Pixels) -> NDArray[np.bool_]:
    """Where no letter stands. Only the middle rows count: all letters reach there, lines around and below do not."""
    height = strip.shape[0]
    rows = strip[height // 4 : max(height - height // 4, height // 4 + 1)].astype(np.int16)
    ground = np.median(rows.reshape(-1, rows.shape[2]), axis=0)
    return ~(np.abs(rows - ground) > _INK).any(axis=(0, 2))


def _widest(empty: NDArray[np.bool_], start: int, end: int) -> _Gap:
    """The longest run of empty columns in a part of the strip."""
    best, begun = _Gap(0, 0), None
    stop = min(end, len(empty))
    for at in range(max(start, 0), stop + 1):
        if at < stop and empty[at]:
            begun = at if begun is None else begun
        elif begun is not None:
            best = max(best, _Gap(begun, at), key=lambda gap: gap.right - gap.left)
            begun = None
    return best
