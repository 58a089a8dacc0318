"""Which window should have the keyboard, by what was seen and done."""

from __future__ import annotations

from trueline.actions import Action, Click, Code, Drag, Hotkey, Key, MouseDown, Move, Point, Type
from trueline.desktop.screen_state import ExpectedFocus
from trueline.desktop.types import Window

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
