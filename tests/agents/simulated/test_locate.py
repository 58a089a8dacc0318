"""Finding by role and name."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueline.actions import Point
from trueline.agents.simulated.locate import describe, locate, words_of
from trueline.records.tree import Node, Place, Size, Tree
from trueline.tasks.model import Find

SHOWING = frozenset({"showing", "visible"})


def node(role: str, name: str = "", x: int = 10, y: int = 20, text: str = "", **kwargs: bool) -> Node:
    states = SHOWING if kwargs.get("showing", True) else frozenset[str]()
    return Node(role, name, text, states, position=Place(x, y), size=Size(40, 20))


TREE = Tree(
    Node(
        "desktop-frame",
        children=(
            Node(
                "application",
                "Editor",
                children=(
                    node("push-button", "Save", 100, 100),
                    node("push-button", "Save as…", 200, 100),
                    node("text", "", 0, 200, text="Dear reader"),
                    node("push-button", "Hidden", showing=False),
                    Node("menu", "Nowhere", states=SHOWING),
                    node("menu", "Off", -500, -500),
                ),
            ),
            Node("application", "viewer", children=(node("push-button", "Save", 300, 300),)),
        ),
    )
)


@pytest.mark.parametrize(
    ("find", "at"),
    [
        ({"role": "push button", "name": "save"}, (120, 110)),
        ({"role": "push-button", "name": "Save a"}, (220, 110)),
        ({"name": "Save", "nth": 2}, (320, 310)),
        ({"name": "Save", "nth": -1}, (320, 310)),
        ({"name": "Save", "app": "VIEWER"}, (320, 310)),
        ({"text": "reader"}, (20, 210)),
        ({"name": "Hidden"}, None),
        ({"name": "Nowhere"}, None),
        ({"name": "Off"}, None),
        ({"name": "Save", "nth": 3}, None),
        ({"name": "Save", "app": "desktop"}, None),
        ({"role": "text", "text": "Reader"}, None),
    ],
)
def test_all_that_is_given_must_hold(find: dict[str, JsonValue], at: tuple[int, int] | None) -> None:
    assert locate(TREE, Find.model_validate(find)) == (None if at is None else Point(*at))


def test_only_what_shows_is_read() -> None:
    assert "Dear reader" in words_of(TREE)
    assert "Hidden" not in words_of(TREE)


def test_a_link_inside_a_text_is_read_once() -> None:
    inside = (
        node("static", "write to "),
        node("link", "a@b.example"),
        node("static", "a@b.example"),
        node("static", " now"),
    )
    mail = Node("paragraph", "", "write to \ufffc now", SHOWING, children=inside)
    assert words_of(Tree(mail)).endswith("write to a@b.example now")


def test_what_is_missing_is_named() -> None:
    find = Find(role="push button", name="Send", app="mail", nth=1)
    assert describe(find) == "push button named 'Send' of mail (number 1)"
