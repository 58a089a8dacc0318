"""Which elements count as covered: trees and windows as a desktop gives them, without one."""

from __future__ import annotations

from trueline.desktop.visibility import ScreenWindow, flag_covered, window_at
from trueline.records.tree import Node, Place, Size, Tree, linearise, marks, parse_xml, tree_of, write_xml
from trueline.records.tree.read_table import parse_table

SCREEN = Size(1000, 800)
USABLE = frozenset({"showing", "visible", "enabled"})
EDITOR, BROWSER = 11, 22


def box(role: str, name: str, x: int, y: int, width: int, height: int, *children: Node) -> Node:
    return Node(role, name, states=USABLE, position=Place(x, y), size=Size(width, height), children=children)


def app(name: str, *frames: Node) -> Node:
    return Node("application", name, children=frames)


def window(
    id: int, pid: int | None, x: int, y: int, width: int, height: int, *, title: str = "", client: int = 0
) -> ScreenWindow:
    place, size = Place(x, y), Size(width, height)
    return ScreenWindow(id, client or (pid or 0) << 21, pid, title, "", place, size, place, size)


def names(tree: Tree, *, covered: bool) -> list[str]:
    return [node.name for node in tree.root.walk() if node.role == "push-button" and node.covered == covered]


def flagged(tree: Tree, *windows: ScreenWindow) -> Tree:
    pids = [{"editor": EDITOR, "browser": BROWSER}.get(application.name) for application in tree.root.children]
    return flag_covered(tree, pids, windows, SCREEN)


def two_windows() -> Tree:
    editor = app(
        "editor",
        box(
            "frame", "Text", 0, 0, 500, 500,
            box("push-button", "free", 10, 10, 50, 20),
            box("push-button", "under", 400, 400, 50, 20),
            box("push-button", "half", 280, 350, 100, 20),
            box("push-button", "edge", 180, 350, 160, 20),
        ),
    )  # fmt: skip
    browser = app("browser", box("frame", "Page", 300, 300, 500, 400, box("push-button", "link", 400, 400, 40, 20)))
    return Tree(Node("desktop-frame", children=(editor, browser)))


def test_what_lies_beneath_another_window_is_covered_and_gets_no_mark() -> None:
    below, above = window(1, EDITOR, 0, 0, 500, 500), window(2, BROWSER, 300, 300, 500, 400)
    tree = flagged(two_windows(), below, above)
    assert names(tree, covered=True) == ["under", "half"]
    assert [mark.name for mark in marks(tree)] == ["free", "edge", "link"]
    tree = flagged(two_windows(), above, below)
    assert names(tree, covered=True) == ["link"]


def test_every_mark_points_at_the_window_of_its_element() -> None:
    stack = (window(1, EDITOR, 0, 0, 500, 500), window(2, BROWSER, 300, 300, 500, 400))
    for order in (stack, stack[::-1]):
        for mark in marks(flagged(two_windows(), *order)):
            top = window_at(order, mark.point)
            assert top is not None and top.pid == (BROWSER if mark.name == "link" else EDITOR)


def test_a_mark_moves_to_where_its_element_is_seen() -> None:
    tree = two_windows()
    cover = window(3, None, 240, 340, 60, 40)
    found = flagged(tree, window(1, EDITOR, 0, 0, 500, 500), cover)
    mark = next(mark for mark in marks(found) if mark.name == "edge")
    assert mark.visible_point is not None
    assert not cover.covers(*mark.point)
    assert 180 <= mark.point.x < 340 and 350 <= mark.point.y < 370


def test_windows_of_one_application_are_told_apart() -> None:
    main = box("frame", "Text", 0, 0, 600, 600, box("push-button", "behind", 300, 300, 40, 20))
    dialog = box("dialog", "Save?", 200, 200, 300, 200, box("push-button", "Yes", 310, 305, 40, 20))
    tree = Tree(Node("desktop-frame", children=(app("editor", main, dialog),)))
    below, above = window(1, EDITOR, 0, 0, 600, 600), window(2, EDITOR, 200, 200, 300, 200, title="Save?")
    found = flagged(tree, below, above)
    assert names(found, covered=True) == ["behind"]
    assert names(found, covered=False) == ["Yes"]


def test_a_menu_covers_what_lies_below_it_and_its_entries_are_free() -> None:
    entry = box("menu-item", "Open", 10, 30, 100, 20)
    main = box(
        "frame", "Text", 0, 0, 600, 600,
        box("menu-bar", "", 0, 0, 600, 25, box("menu", "File", 0, 0, 50, 25, entry)),
        box("push-button", "behind", 20, 35, 30, 20),
    )  # fmt: skip
    tree = Tree(Node("desktop-frame", children=(app("editor", main),)))
    found = flagged(tree, window(1, EDITOR, 0, 0, 600, 600), window(9, EDITOR, 5, 25, 120, 200))
    assert names(found, covered=True) == ["behind"]
    assert [mark.name for mark in marks(found)] == ["File", "Open"]


def test_a_popup_of_another_program_covers_an_application_without_a_process() -> None:
    tree = Tree(Node("desktop-frame", children=(app("java", box("frame", "T", 0, 0, 300, 300, BUTTON)),)))
    own, tip = window(1, None, 0, 0, 300, 300, title="T", client=1), window(2, None, 40, 40, 50, 50, client=2)
    assert names(flag_covered(tree, [None], [own], SCREEN), covered=False) == ["OK"]
    assert names(flag_covered(tree, [None], [own, tip], SCREEN), covered=True) == ["OK"]


def test_without_a_window_on_the_screen_everything_is_covered() -> None:
    found = flagged(two_windows())
    assert names(found, covered=False) == []


def test_what_reaches_over_the_edge_of_the_screen_has_a_point_on_it() -> None:
    wide = box("push-button", "wide", 900, 100, 180, 20)
    tree = Tree(Node("desktop-frame", children=(app("editor", box("frame", "Text", 0, 0, 1200, 800, wide)),)))
    found = flagged(tree, window(1, EDITOR, 0, 0, 1200, 800))
    (mark,) = marks(found)
    assert 900 <= mark.point.x < SCREEN.width


def test_flags_survive_the_xml_and_the_table() -> None:
    tree = flagged(two_windows(), window(1, EDITOR, 0, 0, 500, 500), window(3, None, 240, 340, 60, 40))
    flags = {node.name: (node.covered, node.visible_point) for node in tree.root.walk() if node.role == "push-button"}
    assert flags["link"] == (True, None)
    assert flags["edge"][1] is not None
    for again in (parse_xml(write_xml(tree)), tree_of(parse_table(linearise(tree)))):
        read = {n.name: (n.covered, n.visible_point) for n in again.root.walk() if n.role == "push-button"}
        assert read == flags
    assert linearise(parse_xml(write_xml(tree))) == linearise(tree)


BUTTON = box("push-button", "OK", 50, 50, 20, 20)
