"""Strips of text are split where words stand far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueline.desktop.ocr.pieces import Piece, WordPlaces, pieces
from trueline.desktop.screen.frame import Pixels

COLUMN = 4
LETTER = 8
"""Pixels: how wide a place of the reader is, and a letter; a letter is two places wide."""


@dataclass
class Words:
    words: Sequence[Sequence[str]]
    word_cols: Sequence[Sequence[int]]
    line_txt_len: float


def strip(*placed: tuple[str, int], width: int = 200, frame: bool = False) -> tuple[Pixels, Words]:
    """A strip with words, 20 pixels high, and where the reader says that they are."""
    pixels = np.full((20, width, 3), 220, np.uint8)
    cols: list[list[int]] = []
    for word, left in placed:
        for letter in range(len(word)):
            pixels[5:15, left + LETTER * letter + 1 : left + LETTER * (letter + 1)] = 30
        cols.append([(left + LETTER * letter + LETTER // 2) // COLUMN for letter in range(len(word))])
    if frame:
        pixels[[0, 19]] = 0
    return pixels, Words([list(word) for word, _ in placed], cols, width / COLUMN)


def split(text: str, *placed: tuple[str, int], frame: bool = False) -> tuple[Piece, ...]:
    pixels, words = strip(*placed, frame=frame)
    return pieces(text, words, pixels)


def test_a_wide_gap_splits_in_its_middle_and_a_blank_does_not() -> None:
    found = split("Save as Delete", ("Save", 4), ("as", 40), ("Delete", 76))
    assert found == (Piece("Save as", 0, 66), Piece("Delete", 66, 200))


def test_lines_around_the_text_fill_no_gap() -> None:
    assert [piece.text for piece in split("Cut Copy", ("Cut", 4), ("Copy", 60), frame=True)] == ["Cut", "Copy"]


def test_words_read_without_a_blank_between_them_are_split_by_their_places() -> None:
    assert [piece.text for piece in split("SaveDelete", ("Save", 4), ("Delete", 76))] == ["Save", "Delete"]


def test_what_is_not_split_is_the_whole_strip() -> None:
    pixels, words = strip(("Save", 4), ("as", 100))
    unknown: list[WordPlaces | None] = [None, Words([], [], 50), Words(words.words, words.word_cols, 0)]
    for places in (*unknown, strip(("Other", 4), ("words", 100))[1]):
        assert pieces("Save as", places, pixels) == (Piece("Save as", 0, 200),)
    assert len(pieces("Save as", words, pixels)) == 2
