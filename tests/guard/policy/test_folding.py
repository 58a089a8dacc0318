from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.guard.policy.folding import fold, key, name_disguises


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("cu\u200brl", "curl"),
        ("сurl", "curl"),
        ("ｒｍ －ｒｆ", "rm -rf"),
        ("r\u00adm", "rm"),
        ("\u202erm\u202c", "rm"),
        ("rm –rf", "rm -rf"),
        ("“a”", '"a"'),
        ("Документы", "Документы"),
        ("naïve café", "naïve café"),
        ("plain", "plain"),
    ],
)
def test_disguises_are_undone_and_other_scripts_are_kept(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_keys_ignore_case_space_and_lines() -> None:
    assert key("  Send\n NOW ") == "send now"


def test_tricks_are_named() -> None:
    assert name_disguises("cu\u200brl") == ("invisible characters",)
    assert name_disguises("сurl") == ("look-alike letters of another script",)
    assert name_disguises("Документы und Bücher") == ()


@settings(deadline=None)
@given(st.text(max_size=100))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
