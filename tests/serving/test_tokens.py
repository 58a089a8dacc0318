"""Tokens: which are taken, and whose they are."""

from __future__ import annotations

import pytest

from trueline.errors import InputError
from trueline.serving import Tokens, new_token

TOKEN = "a-token-of-the-tests-0123456789"
OTHER = "another-token-of-the-tests-987654"


@pytest.mark.parametrize("tokens", [[], ["short"], [TOKEN, "short"], ["has a space in the token"], ["ümlaut" * 5]])
def test_weak_tokens_are_refused(tokens: list[str]) -> None:
    with pytest.raises(InputError, match="token"):
        Tokens(tokens)


def test_tokens_tell_their_owners() -> None:
    tokens = Tokens([TOKEN, OTHER])
    assert tokens.owner(f"Bearer {TOKEN}") == 0
    assert tokens.owner(f"bearer {OTHER}") == 1
    assert TOKEN not in str(vars(tokens))
    for header in ("", "Bearer", f"Token {TOKEN}", TOKEN, f"Bearer {TOKEN}{OTHER}"):
        assert tokens.owner(header) is None


def test_a_new_token_is_one_and_never_the_same() -> None:
    made = {new_token() for _ in range(100)}
    assert len(made) == 100 and all(len(token) == 43 for token in made)
    Tokens(sorted(made))
