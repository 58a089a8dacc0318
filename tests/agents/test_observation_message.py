from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.agents.prompt.observation_message import CUT_MARK, cut


def tokens(text: str) -> int:
    """The smallest limit at which a text stays whole."""
    return next(limit for limit in range(2 * len(text) + 1) if cut(text, limit) == text)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('push-button\tOpen Parent\t""\t\t\t(718, 336)\t(37, 35)\n', 22),
        ("table-cell\tDevices\tDevices\t\t\t(682, 489)\t(130, 25)\n", 21),
        ("The quick brown fox jumps over the lazy dog.", 10),
    ],
)
def test_counts_are_near_those_of_gpt_4s_own_tokeniser(text: str, known: int) -> None:
    assert abs(tokens(text) - known) <= 0.1 * known


@given(st.text(), st.integers(1, 50))
def test_a_cut_text_is_the_longest_beginning_within_the_limit(text: str, limit: int) -> None:
    short = cut(text, limit)
    if short != text:
        kept = short.removesuffix(CUT_MARK)
        assert short.endswith(CUT_MARK)
        assert text.startswith(kept)
        assert tokens(kept) <= limit < tokens(text)


@given(st.text(min_size=1))
def test_every_character_counts(text: str) -> None:
    assert cut(text, 0) == CUT_MARK


@pytest.mark.parametrize("character", ["x", "é", "-", "𐀀", "7"])
def test_a_text_without_spaces_is_cut_near_its_place(character: str) -> None:
    kept = cut(character * 10_000, 100).removesuffix(CUT_MARK)
    assert 100 / 2 <= len(kept) <= 100 * 8
