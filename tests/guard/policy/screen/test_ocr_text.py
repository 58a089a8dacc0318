"""Points looked up in what OCR read."""

from __future__ import annotations

import pytest

from guard.policy.policy_samples import NOW, app, desktop, node, page
from trueline.actions.types import Point
from trueline.guard.policy.screen.ocr_text import MOST_LINES, ocr_text_at
from trueline.guard.policy.screen.view import view
from trueline.records.observation import Observation
from trueline.records.text_line import TextLine
from trueline.records.tree import Node

CANCEL = TextLine("Cancel", 100, 100, 160, 120)
DELETE = TextLine("Delete", 180, 100, 240, 120)
BUTTONS = (CANCEL, DELETE)


def texts(x: int, y: int, lines: tuple[TextLine, ...] = BUTTONS) -> list[str]:
    return [target.label for target in ocr_text_at(lines, Point(x, y))]


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        (180, 100, "Delete"),
        (239, 119, "Delete"),
        (130, 110, "Cancel"),
        (159, 110, "Cancel"),
        (169, 110, "Cancel"),  # between the two, and nearer to the first
        (171, 110, "Delete"),
        (269, 110, "Delete"),  # the button reaches beyond its label
        (210, 90, "Delete"),
        (210, 129, "Delete"),
        (270, 110, None),
        (210, 89, None),
        (210, 130, None),
        (600, 400, None),
    ],
)
def test_a_point_on_or_a_little_beside_a_text_hits_it(x: int, y: int, found: str | None) -> None:
    assert texts(x, y) == ([found] if found else [])


def test_of_overlapping_texts_all_are_told_and_the_one_whose_middle_is_nearer_first() -> None:
    rows = (TextLine("above", 0, 0, 100, 30), TextLine("below", 0, 20, 100, 50))
    assert texts(50, 24, rows) == ["above", "below"]
    assert texts(50, 27, rows) == ["below", "above"]
    assert texts(50, 10, rows) == ["above"]
    inner = (TextLine("a whole line of text", 0, 0, 400, 20), TextLine("Delete", 100, 0, 160, 20))
    assert texts(120, 10, inner) == ["Delete", "a whole line of text"]


def test_hostile_texts_are_bounded() -> None:
    pile = tuple(TextLine("x" * 100_000, 0, 0, 100, 20) for _ in range(50))
    found = ocr_text_at(pile, Point(5, 5))
    assert len(found) == 3 and all(len(target.label) == 200 for target in found)
    assert len(view(Observation(NOW, lines=pile * 100)).lines) == MOST_LINES
    assert texts(5, 5, (TextLine("upside down", 50, 50, 0, 0), TextLine("flat", 5, 5, 5, 5))) == []


def seen(*elements: Node, partial: bool = False) -> list[str]:
    tree = desktop(app("game", *elements)).tree
    screen = Observation(NOW, tree=tree, partial=partial).with_lines(BUTTONS)
    return [target.label for target in view(screen).written(Point(210, 110))]


def test_the_tree_wins_where_it_knows_what_is_there() -> None:
    box = (150, 90, 120, 40)
    assert seen(node("push-button", "Keep", box)) == []
    assert seen(node("label", "Keep", box)) == []
    assert seen(node("entry", "", box)) == []
    assert seen(node("push-button", "Keep", box), partial=True) == ["Delete"]


@pytest.mark.parametrize("role", ["canvas", "drawing-area", "panel", "section", "unknown"])
def test_a_canvas_or_a_bare_container_does_not_tell_what_is_drawn_on_it(role: str) -> None:
    assert seen(node(role, "Level 1", (0, 0, 900, 600))) == ["Delete"]


def test_a_window_the_background_and_a_button_without_a_name_do_not_tell_either() -> None:
    assert seen() == ["Delete"]
    assert seen(node("push-button", "", (150, 90, 120, 40))) == ["Delete"]
    wall = node(
        "application",
        "xfdesktop",
        None,
        node("frame", "Desktop", (0, 0, 900, 600), node("icon", "Trash", (150, 90, 120, 40))),
    )
    behind = Observation(NOW, tree=desktop(wall).tree).with_lines(BUTTONS)
    assert [target.label for target in view(behind).written(Point(210, 110))] == ["Delete"]


def test_what_ocr_read_makes_no_place_known() -> None:
    alone = view(Observation(NOW).with_lines(BUTTONS))
    assert not alone.known and alone.hit(Point(210, 110)) is None and alone.focused is None
    assert view(page()).written(Point(210, 110)) == ()
