"""Strips of text are split where words stand far apart."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.desktop.ocr.pieces import Piece, pieces


@dataclass
class Words:
    words: list[list[str]]
    word_cols: list[list[int]]
    line_txt_len: float


def words(*placed: tuple[str, int], columns: float = 100) -> Words:
    return Words(
        [list(word) for word, _ in placed],
        [list(range(start, start + len(word))) for word, start in placed],
        columns,
    )


def test_a_wide_gap_splits_and_a_blank_does_not() -> None:
    found = pieces("Save as Delete", words(("Save", 0), ("as", 6), ("Delete", 30)), 200, 20)
    assert found == (Piece("Save as", 0, 21), Piece("Delete", 55, 77))


def test_words_read_without_a_blank_between_them_are_split_by_their_places() -> None:
    assert [piece.text for piece in pieces("SaveDelete", words(("Save", 0), ("Delete", 40)), 200, 20)] == [
        "Save",
        "Delete",
    ]


def test_what_is_not_split_is_the_whole_strip() -> None:
    whole = (Piece("Save as", 0, 200),)
    assert pieces("Save as", words(("Save", 0), ("as", 6)), 200, 20) == whole
    assert pieces("Save as", None, 200, 20) == whole
    assert pieces("Save as", words(), 200, 20) == whole
    assert pieces("Save as", words(("Save", 0), ("as", 60), columns=0), 200, 20) == whole
    assert pieces("Save as", words(("other", 0), ("words", 60)), 200, 20) == whole
