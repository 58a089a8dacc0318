from __future__ import annotations

import itertools
import string
from collections.abc import Iterator

import pytest

from support.bare_desktop import eventually
from support.seen import Editor, editor
from trueline.actions import (
    Action,
    Click,
    Code,
    CursorPosition,
    Drag,
    HoldKey,
    Hotkey,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)
from trueline.desktop.input.execute import ActionRefused, open_pointing
from trueline.desktop.types import ActionTimeout, DesktopLost

CJK = "".join(chr(0x4E00 + 37 * i) for i in range(60))


@pytest.fixture(scope="module")
def running() -> Iterator[Editor]:
    with editor() as one:
        yield one


@pytest.fixture
def mousepad(running: Editor) -> Editor:
    running.clear()
    return running


def do(mousepad: Editor, *actions: Action) -> None:
    for action in actions:
        mousepad.hands.do(action)


@pytest.mark.parametrize(
    "text",
    [
        "".join(c for c in string.printable if c.isprintable()),
        "if a < b > c: print('<>')",
        "one\ntwo\n\nthree\n",
        "dos\r\nlines\r\n",
        "Ünïcödé, naïve café, 5 €, ½, Привет, Ελλάδα, שלום",
        "你好，世界 こんにちは 한국어",
        "😀 🎉 👩‍👩‍👧 🏳️‍🌈 e\u0301",
        CJK + CJK[::-1],
        "x" * 500,
    ],
    ids=["ascii", "angles", "newlines", "crlf", "accents", "cjk", "emoji", "many", "long"],
)
def test_any_text_arrives_as_it_was_typed(mousepad: Editor, text: str) -> None:
    do(mousepad, Type(text=text))
    mousepad.wait_text(text.replace("\r\n", "\n"))


@pytest.mark.parametrize("text", ["one\ntwo\tthree <é> 你好 😀", "", "x" * 30_000], ids=["lines", "empty", "long"])
def test_what_is_pasted_arrives_before_the_keys_that_follow(mousepad: Editor, text: str) -> None:
    do(mousepad, Type(text="<"), Type(text=text, paste=("ctrl", "v")), Key(key="enter"), Type(text=">"))
    mousepad.wait_text(f"<{text}\n>")


def test_a_pasted_text_stays_on_the_clipboard(mousepad: Editor) -> None:
    do(mousepad, Type(text="again ", paste=("ctrl", "v")), Hotkey(keys=("ctrl", "v")), Hotkey(keys=("shift", "insert")))
    mousepad.wait_text("again again again ")
    do(mousepad, Hotkey(keys=("ctrl", "a")), Hotkey(keys=("ctrl", "x")))
    # The editor takes the clipboard when it gets to the cut; until then nobody can say whose it is.
    mousepad.wait_text("")
    do(mousepad, Type(text="new", paste=("ctrl", "v")))
    mousepad.wait_text("new")


def test_keys_hotkeys_and_held_keys(mousepad: Editor) -> None:
    do(mousepad, Type(text="alpha beta"), Key(key="left", presses=4), Key(key="backspace"), Type(text="_"))
    mousepad.wait_text("alpha_beta")
    do(mousepad, Hotkey(keys=("ctrl", "a")), Hotkey(keys=("ctrl", "x")), Hotkey(keys=("ctrl", "v")), Key(key="A"))
    mousepad.wait_text("alpha_betaA")
    do(mousepad, KeyDown(key="shift"), Key(key="left", presses=5), KeyUp(key="shift"), Type(text="!"))
    mousepad.wait_text("alpha_!")
    do(mousepad, KeyDown(key="shift"), Type(text="xY1"), KeyUp(key="shift"), Type(text="z"))
    mousepad.wait_text("alpha_!XY!z")


def test_a_key_held_repeats_and_is_let_go(mousepad: Editor) -> None:
    do(mousepad, HoldKey(keys=("a",), duration=1.0), Type(text="b"))
    eventually(lambda: (mousepad.text or "").endswith("b"), "the end of the repeats")
    text = mousepad.text or ""
    assert set(text[:-1]) == {"a"}


def test_clicks_select_words_and_lines(mousepad: Editor) -> None:
    node = mousepad.text_node
    assert node is not None and node.position is not None
    inside = Point(node.position.x + 15, node.position.y + 8)

    def written(*actions: Action) -> str | None:
        """What two lines become by these actions; an X at the end says that all of them have come through."""
        mousepad.clear()
        do(mousepad, Type(text="first second\nthird"), *actions, Type(text="X"))
        return eventually(lambda: text if "X" in (text := mousepad.text or "") else None, "the mark")

    elsewhere = Point(inside.x + 200, inside.y + 100)
    for before in ((), (Click(at=elsewhere),), (Click(at=inside),), (Click(at=inside, count=2),)):
        assert written(*before, Click(at=inside, count=2)) == "X second\nthird"
        assert written(*before, Click(at=inside, count=3)) in ("Xthird", "X\nthird")
    shift = Click(at=Point(inside.x + 300, inside.y), modifiers=("shift",))
    assert written(Click(at=inside), Key(key="home"), shift) == "X\nthird"


@pytest.mark.parametrize("held", [False, True])
def test_a_drag_selects(mousepad: Editor, held: bool) -> None:
    do(mousepad, Type(text="drag me away\nkeep"))
    mousepad.wait_text("drag me away\nkeep")
    node = mousepad.text_node
    assert node is not None and node.position is not None
    start, end = Point(node.position.x + 1, node.position.y + 8), Point(node.position.x + 400, node.position.y + 8)
    if held:
        do(mousepad, MouseDown(at=start), Move(to=end, duration=0.1), MouseUp(at=end))
    else:
        do(mousepad, Drag(start=start, path=(Point(start.x + 50, start.y), end), duration=0.2))
    do(mousepad, Key(key="delete"))
    mousepad.wait_text("\nkeep")


def test_the_wheel_scrolls_both_ways(mousepad: Editor) -> None:
    lines = "\n".join(str(n) for n in range(60))
    do(mousepad, Type(text=lines))
    mousepad.wait_text(lines)
    node = mousepad.text_node
    assert node is not None and node.position is not None
    left, top = node.position
    at = Point(left + 300, top + 200)
    beside = itertools.cycle((Point(at.x - 50, at.y), at))  # two clicks at one point would be a double click

    def line_after(*actions: Action) -> int:
        """The line at a fixed height of the screen: the one that a click there puts the cursor into."""
        do(mousepad, *actions, Click(at=next(beside)), Type(text="X"))
        text = eventually(lambda: text if "X" in (text := mousepad.text or "") else None, "the mark")
        do(mousepad, Key(key="backspace"))
        mousepad.wait_text(lines)
        return text.partition("X")[0].count("\n")

    last = line_after()
    first = line_after(Scroll(at=at, dy=-50))
    lower = line_after(Scroll(at=at, dy=5))
    assert first < lower < last
    assert line_after(Scroll(at=at, dy=-50 * 40, unit="pixels")) == first


def test_the_pointer_goes_where_it_is_sent_and_not_off_the_screen(mousepad: Editor) -> None:
    do(mousepad, Move(to=Point(77, 88), duration=0.05))
    assert mousepad.hands.do(CursorPosition()).answer == "(77, 88)"
    do(mousepad, Move(to=Point(30_000, -9)))
    assert mousepad.hands.do(CursorPosition()).answer == "(1023, 0)"
    assert mousepad.bare.run("xdotool", "getmouselocation").startswith("x:1023 y:0")


@pytest.mark.parametrize(
    "action",
    [
        Key(key="no-such-key"),
        Hotkey(keys=("ctrl", "fn")),
        Type(text="a\x1b[31m"),
        Type(text="lone \ud800 surrogate"),
        Type(text="x", paste=("ctrl", "no-such-key")),
        Type(text="x" * 300_000, paste=("ctrl", "v")),
        Scroll(dy=10**9),
        Code(source="print(1)"),
    ],
    ids=lambda action: action.kind,
)
def test_what_cannot_be_done_is_refused_and_leaves_no_key_down(mousepad: Editor, action: Action) -> None:
    with pytest.raises(ActionRefused):
        do(mousepad, action)
    do(mousepad, Type(text="plain"))
    mousepad.wait_text("plain")


def test_another_client_may_change_the_keyboard(mousepad: Editor) -> None:
    do(mousepad, Type(text="日本"))
    mousepad.wait_text("日本")
    other = open_pointing(mousepad.bare.display)
    other.do(Type(text=CJK))
    other.close()
    do(mousepad, Type(text="日本"))
    mousepad.wait_text(f"日本{CJK}日本")


def test_an_action_without_end_is_ended_and_lets_go(mousepad: Editor) -> None:
    hands = open_pointing(mousepad.bare.display, limit=0.2)
    for action in (Wait(seconds=1e6), HoldKey(keys=("shift",), duration=1e6), Type(text="ab", interval=1e6)):
        with pytest.raises(ActionTimeout):
            hands.do(action)
    hands.close()
    mousepad.clear()
    do(mousepad, Type(text="abc"))
    mousepad.wait_text("abc")


def test_pauses_are_kept(mousepad: Editor) -> None:
    slept: list[float] = []
    hands = open_pointing(mousepad.bare.display, sleep=slept.append)
    for action in (Move(to=Point(1, 1), pause_after=0.5), Wait(seconds=30)):
        hands.do(action)
    hands.close()
    assert slept == [0.5, 30]


def test_no_server_is_a_lost_desktop() -> None:
    with pytest.raises(DesktopLost, match="no X server at /nowhere/X0"):
        open_pointing("/nowhere/X0")
