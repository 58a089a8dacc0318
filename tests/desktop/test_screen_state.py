"""Which window should have the keyboard, by what was seen and done."""

from __future__ import annotations

from datetime import UTC, datetime

from trueline.actions import Action, Click, Code, Drag, Hotkey, Key, MouseDown, Move, Point, Type
from trueline.desktop.screen_state import ExpectedFocus, ScreenState, with_active_window
from trueline.desktop.types import Window
from trueline.records import Node, Observation, Tree
from trueline.records.tree import Place, Size

EDITOR = Window(7, "Note", "mousepad", 1, 0, 0, 500, 400, active=True)
FILES = Window(9, "Files", "thunar", 2, 300, 200, 400, 300)
"""It lies over the editor, and has not the keyboard."""


def window_after(*actions: Action) -> int:
    focus = ExpectedFocus.on((EDITOR, FILES))
    for action in actions:
        focus = focus.after(action)
    return focus.window


def test_the_active_window_should_have_the_keyboard_or_the_one_that_was_pressed() -> None:
    assert ExpectedFocus.on((FILES,)).window == 0
    assert window_after() == 7
    assert window_after(Type(text="a\n"), Key(key="enter"), Hotkey(keys=("alt", "tab")), Code(source="1")) == 7
    assert window_after(Click(at=Point(310, 210))) == 9
    assert window_after(Click(at=Point(310, 210)), Click(at=Point(10, 10))) == 7
    assert window_after(Click(at=Point(900, 700))) == 7
    assert window_after(MouseDown(at=Point(310, 210))) == 9


def test_a_press_without_a_place_is_where_the_pointer_was_left() -> None:
    assert window_after(Move(to=Point(310, 210)), Click()) == 9
    assert window_after(Click()) == 7
    assert window_after(Drag(start=Point(10, 10), path=(Point(310, 210),))) == 7
    assert window_after(Drag(start=Point(10, 10), path=(Point(310, 210),)), Click()) == 9
    assert window_after(Move(to=Point(310, 210)), Code(source="pyautogui.moveTo(1, 1)"), Click()) == 7


ACTIVE = frozenset({"active", "showing", "visible"})


def seen(*applications: Node) -> Observation:
    return Observation(datetime(2026, 1, 2, tzinfo=UTC), tree=Tree(Node("desktop-frame", children=applications)))


def application(name: str, window: Window, *, active: bool = False, title: str = "") -> Node:
    field = Node("text", "field", states=frozenset({"focused"}) if active else frozenset())
    frame = Node(
        "frame", title or window.title, states=ACTIVE if active else ACTIVE - {"active"},
        position=Place(window.x, window.y), size=Size(window.width, window.height), children=(field,),
    )  # fmt: skip
    return Node("application", name, children=(frame,))


def states_in(observation: Observation) -> dict[str, set[str]]:
    """Which windows are called active, and which have the focus, by application."""
    assert observation.tree is not None
    return {
        app.name: {state for node in app.walk() for state in node.states & {"active", "focused"}}
        for app in observation.tree.root.children
    }


def test_a_tree_that_knows_the_window_in_front_is_left_as_it_is() -> None:
    fits = seen(application("Mousepad", EDITOR, active=True), application("Thunar", FILES))
    assert with_active_window(ScreenState(fits, (EDITOR, FILES))) is fits
    late = seen(application("Mousepad", EDITOR, active=True, title="*Note"))
    assert with_active_window(ScreenState(late, (EDITOR,))) is late
    other_name = seen(application("soffice", EDITOR, active=True))
    assert with_active_window(ScreenState(other_name, (EDITOR,))) is other_name
    assert with_active_window(ScreenState(late, None)) is late


def test_a_tree_that_is_late_is_set_right() -> None:
    late = seen(application("Thunar", FILES, active=True), application("Mousepad", EDITOR))
    found = with_active_window(ScreenState(late, (EDITOR, FILES)))
    assert states_in(found) == {"Thunar": set(), "Mousepad": {"active"}}


def test_a_window_that_is_in_no_tree_is_added() -> None:
    terminal = Window(11, "sh", "xterm", 3, 20, 30, 300, 200, active=True)
    behind = Window(7, "Note", "mousepad", 1, 0, 0, 500, 400)
    found = with_active_window(ScreenState(seen(application("Mousepad", behind, active=True)), (behind, terminal)))
    assert states_in(found) == {"Mousepad": set(), "xterm": {"active"}}
