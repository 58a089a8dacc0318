"""What an agent reads of a screen: what it is given in words, no more and no less."""

from __future__ import annotations

import pytest

from support.acting import SHOT, element, observed
from trueline.agents import find_agent
from trueline.agents.types import words_for
from trueline.records.tree import Node, Tree

FAR = "the last words on the screen"
TREE = Tree(
    Node(
        "desktop-frame",
        children=(*(element("label", f"row {n}", 1, n) for n in range(300)), element("label", FAR, 9, 9)),
    )
)


@pytest.mark.parametrize(
    ("kind", "tokens", "reads"),
    [
        ("a11y_tree", 10_000, True),
        ("screenshot_a11y_tree", 10_000, True),
        ("screenshot_a11y_tree", 500, False),
        ("a11y_tree", 500, False),
    ],
)
def test_a_table_that_is_cut_ends_where_it_is_cut(kind: str, tokens: int, reads: bool) -> None:
    agent = find_agent("prompt", {"observation_type": kind, "a11y_tree_max_tokens": tokens}).make()
    words = words_for(agent, observed(SHOT, TREE))
    assert words is not None
    assert (FAR in words) is reads


def test_who_is_given_a_picture_reads_nothing() -> None:
    for name, options in (("prompt", {"observation_type": "screenshot"}), ("claude", {}), ("noop", {})):
        assert words_for(find_agent(name, options).make(), observed(SHOT, TREE)) is None


def test_subjects_read_all_that_shows() -> None:
    words = words_for(find_agent("oracle").make(), observed(None, TREE))
    assert words is not None
    assert words.endswith(FAR)
