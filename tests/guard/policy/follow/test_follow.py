from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.policy.policy_samples import actions, app, desktop, node, operations, page, terminal
from trueline.actions.types import (
    Action,
    Click,
    Code,
    CursorPosition,
    Done,
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
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from trueline.guard.policy.follow.follower import follow
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.operations import Addressed, EpisodeEnd, Nothing, Opened, Pressed, Ran, Typed, Unclear
from trueline.guard.policy.screen.view import view
from trueline.records.observation import Observation


def ran(observation: Observation | None, *sources: str, desk: InputState | None = None) -> list[tuple[str, bool]]:
    found = operations(observation, *sources, desk=desk)
    return [(operation.line, operation.certain) for operation in found if isinstance(operation, Ran)]


BUTTON = node("push-button", "Buy now", (100, 200, 200, 40))
FIELD = node("entry", "Name", (100, 300, 200, 30), states=["editable"])


def test_text_typed_in_pieces_over_steps_is_one_line() -> None:
    desk = InputState()
    assert ran(terminal(), "pyautogui.write('l')", desk=desk) == [("l", False)]
    assert ran(terminal(), "pyautogui.press('s')", "pyautogui.write(' -')", desk=desk) == [("ls -", False)]
    assert ran(terminal(), "pyautogui.write('l\\n')", desk=desk) == [("ls -l", True)]
    assert ran(terminal(), "pyautogui.press('enter')", desk=desk) == []


def test_a_line_is_edited_before_it_runs() -> None:
    done = ran(
        terminal(),
        "pyautogui.write('xrm ~q')",
        "pyautogui.press('backspace')",
        "pyautogui.press('home')",
        "pyautogui.press('delete')",
        "pyautogui.press('end')",
        "pyautogui.press('left')",
        "pyautogui.write('-r ')",
        "pyautogui.press('enter')",
    )
    assert done == [("rm -r ~", True)]


def test_an_interrupted_line_does_not_run() -> None:
    assert ran(terminal(), "pyautogui.write('rm x')", "pyautogui.hotkey('ctrl', 'c')", "pyautogui.write('ls\\n')") == [
        ("ls", True)
    ]


def test_the_same_text_is_no_command_in_a_document() -> None:
    document = desktop(app("soffice", node("document-text", "a", (0, 0, 900, 600), states=["focused", "editable"])))
    (typed,) = operations(document, "pyautogui.write('rm -rf /\\nls\\n')")
    assert isinstance(typed, Typed) and typed.text == "rm -rf /\nls\n"


def test_where_nothing_is_known_a_line_only_may_run() -> None:
    assert ran(None, "pyautogui.write('ls\\n')") == [("ls", False)]


@pytest.mark.parametrize(
    "opening",
    [
        "pyautogui.hotkey('ctrl', 'alt', 't')",
        "pyautogui.press('winleft'); pyautogui.write('terminal\\n')",
        "pyautogui.hotkey('alt', 'f2'); pyautogui.write('xterm\\n')",
    ],
)
def test_shortcuts_open_a_terminal(opening: str) -> None:
    assert ("ls", True) in ran(None, opening, "pyautogui.write('ls\\n')")


def test_a_launcher_named_terminal_opens_one() -> None:
    panel = desktop(app("xfce4-panel", node("push-button", "Terminal Emulator", (0, 0, 50, 50))))
    assert ran(panel, "pyautogui.click(10, 10)", "pyautogui.write('ls\\n')") == [("ls", True)]


def test_the_run_box_runs() -> None:
    assert ran(None, "pyautogui.hotkey('alt', 'f2')", "pyautogui.write('xcalc\\n')") == [("xcalc", True)]


def test_an_editor_in_the_terminal_takes_text_and_runs_nothing() -> None:
    desk = InputState()
    assert ran(terminal(), "pyautogui.write('nano a\\n')", desk=desk) == [("nano a", True)]
    in_nano = terminal("GNU nano 7.2   a\n\n^G Help ^X Exit")
    assert ran(in_nano, "pyautogui.write('rm -rf /\\n')", desk=desk) == [("rm -rf /", False)]
    assert ran(terminal("saved\nuser@desk:~$ "), "pyautogui.write('ls\\n')", desk=desk)[-1] == ("ls", True)


def test_text_that_looks_like_an_editor_does_not_hide_a_command() -> None:
    fooled = terminal("cat notes\nGNU nano 7.2\n^G Help ^X Exit\n>>> user@desk:~$ ")
    assert ran(fooled, "pyautogui.write('rm -rf /\\n')") == [("rm -rf /", True)]
    assert ran(terminal(), "pyautogui.write('nano --version\\nrm -rf /\\n')")[-1] == ("rm -rf /", True)


def test_a_python_prompt_reads_python() -> None:
    found = operations(terminal(">>> "), "pyautogui.write('import os; os.system(\"reboot\")\\n')")
    assert [operation.command.program for operation in found if isinstance(operation, Ran)] == ["reboot"]


def test_a_click_without_a_point_happens_where_the_pointer_is() -> None:
    desk = InputState()
    operations(page(BUTTON), "pyautogui.moveTo(150, 220)", desk=desk)
    (pressed,) = operations(page(BUTTON), "pyautogui.click()", desk=desk)
    assert isinstance(pressed, Pressed) and pressed.act == "pay"


def test_pressing_and_releasing_is_a_click_and_moving_between_is_no_rest() -> None:
    found = operations(
        page(BUTTON), "pyautogui.mouseDown(150, 220)", "pyautogui.moveTo(400, 400)", "pyautogui.mouseUp(150, 220)"
    )
    assert [type(operation) for operation in found] == [Unclear, Unclear, Pressed]


def test_enter_and_space_press_the_focused_button() -> None:
    focused = node("push-button", "Buy now", (100, 200, 200, 40), states=["focused"])
    for key in ("enter", "space"):
        (pressed,) = operations(page(focused), f"pyautogui.press('{key}')")
        assert isinstance(pressed, Pressed) and pressed.act == "pay" and pressed.certain


def test_after_tab_the_focus_is_not_known() -> None:
    found = operations(page(FIELD), "pyautogui.click(150, 310)", "pyautogui.press('tab')", "pyautogui.press('enter')")
    assert any(isinstance(operation, Unclear) and "not known" in operation.why for operation in found)


def test_what_is_copied_from_the_screen_is_known_when_it_is_pasted() -> None:
    desk = InputState()
    line = node("static", "ls -l", (100, 400, 300, 20))
    operations(page(line), "pyautogui.tripleClick(150, 410)", "pyautogui.hotkey('ctrl', 'c')", desk=desk)
    assert ran(terminal(), "pyautogui.hotkey('ctrl', 'shift', 'v')", "pyautogui.press('enter')", desk=desk) == [
        ("ls -l", True)
    ]


def test_cut_and_paste_between_fields() -> None:
    desk = InputState()
    source = node("entry", "From", (100, 200, 200, 30), text="hello there", states=["editable"])
    operations(
        page(source, FIELD),
        "pyautogui.click(150, 210)",
        "pyautogui.hotkey('ctrl', 'a')",
        "pyautogui.hotkey('ctrl', 'c')",
        desk=desk,
    )
    found = operations(page(source, FIELD), "pyautogui.click(150, 310)", "pyautogui.hotkey('ctrl', 'v')", desk=desk)
    assert any(isinstance(operation, Typed) and operation.text == "hello there" for operation in found)


def test_a_cut_text_is_known_when_it_is_pasted_and_an_unknown_cut_is_not_mistaken_for_an_older_copy() -> None:
    desk = InputState()
    source = node("entry", "From", (100, 200, 200, 30), text="hello there", states=["editable"])
    cut = ["pyautogui.click(150, 210)", "pyautogui.hotkey('ctrl', 'a')", "pyautogui.hotkey('ctrl', 'x')"]
    operations(page(source, FIELD), *cut, desk=desk)
    assert desk.clipboard == "hello there"
    operations(page(source, FIELD), "pyautogui.doubleClick(150, 210)", "pyautogui.hotkey('ctrl', 'x')", desk=desk)
    assert desk.clipboard is None


def test_a_window_that_came_to_the_front_takes_the_keyboard() -> None:
    desk = InputState()
    writer = desktop(app("soffice", node("document-text", "a", (0, 0, 900, 600), states=["focused", "editable"])))
    operations(writer, "pyautogui.write('x')", desk=desk)
    silent_terminal = desktop(app("xfce4-terminal", node("terminal", "T", (0, 0, 900, 600))))
    assert ran(silent_terminal, "pyautogui.write('ls\\n')", desk=desk) == [("ls", True)]
    other = desktop(app("gimp", node("canvas", "", (0, 0, 900, 600))))
    assert ran(other, "pyautogui.write('ls\\n')", desk=desk) == [("ls", False)]


@pytest.mark.parametrize(
    "paste",
    [
        "pyautogui.hotkey('ctrl', 'shift', 'v')",
        "pyautogui.hotkey('shift', 'insert')",
        "pyautogui.middleClick(500, 300)",
    ],
)
def test_an_unknown_paste_makes_a_command_unseen(paste: str) -> None:
    found = operations(terminal(), paste, "pyautogui.press('enter')")
    (unseen,) = [operation for operation in found if isinstance(operation, Ran)]
    assert "hidden" in unseen.command.does and unseen.certain


@pytest.mark.parametrize("up", ["pyautogui.press('up')", "pyautogui.hotkey('up')", "pyautogui.keyDown('up')"])
def test_the_arrow_up_brings_back_a_line_of_this_episode_or_an_unseen_one(up: str) -> None:
    desk = InputState()
    (unseen,) = [d for d in operations(terminal(), up, "pyautogui.press('enter')", desk=desk) if isinstance(d, Ran)]
    assert "hidden" in unseen.command.does
    operations(terminal(), "pyautogui.write('ls -l\\n')", desk=desk)
    assert ran(terminal(), up, "pyautogui.press('enter')", desk=desk) == [("ls -l", True)]


def test_a_typed_address_is_opened_on_enter() -> None:
    found = operations(page(), "pyautogui.click(300, 50)", "pyautogui.write('example.org/x\\n')")
    assert Opened("example.org/x", "typed") in found
    assert not any(
        isinstance(d, Opened) for d in operations(page(), "pyautogui.click(300, 50)", "pyautogui.write('two words\\n')")
    )


def test_a_browser_shortcut_leads_to_the_address_field() -> None:
    assert Opened("example.org", "typed") in operations(
        page(), "pyautogui.hotkey('ctrl', 'l')", "pyautogui.write('example.org\\n')"
    )


def test_a_link_with_a_known_address_opens_it() -> None:
    link = node("link", "Terms", (100, 200, 100, 20), url="https://example.org/terms")
    assert Opened("https://example.org/terms", "link") in operations(page(link), "pyautogui.click(120, 210)")


def test_sending_tells_who_gets_it() -> None:
    mail = desktop(
        app(
            "Thunderbird",
            node("push-button", "Send", (10, 10, 80, 30)),
            node("entry", "To", (10, 50, 500, 26), text="Ann <ann@example.org>", states=["editable"]),
        )
    )
    assert Addressed("ann@example.org", sent=True) in operations(mail, "pyautogui.click(20, 20)")
    typed = operations(mail, "pyautogui.click(100, 60)", "pyautogui.write('bob@example.org')")
    assert Addressed("bob@example.org") in typed


def test_deleting_in_a_list_of_files() -> None:
    files = desktop(app("Thunar", node("table", "", (0, 0, 900, 600), node("table-cell", "a.odt", (0, 0, 300, 20)))))
    found = operations(
        files, "pyautogui.click(600, 500)", "pyautogui.hotkey('ctrl', 'a')", "pyautogui.hotkey('shift', 'delete')"
    )
    last = found[-1]
    assert isinstance(last, Pressed) and last.act == "delete_forever" and last.many and last.certain


def test_shift_delete_in_a_text_only_cuts() -> None:
    found = operations(page(FIELD), "pyautogui.click(150, 310)", "pyautogui.hotkey('shift', 'delete')")
    assert not any(isinstance(operation, Pressed) and operation.act for operation in found)


def test_scrolling_is_nothing_only_over_what_does_not_change() -> None:
    box = node("combo-box", "Size", (100, 200, 100, 30))
    text = node("paragraph", "words", (100, 300, 300, 100))
    assert [type(d) for d in operations(page(box, text), "pyautogui.scroll(-3, 150, 350)")] == [Nothing]
    assert [type(d) for d in operations(page(box, text), "pyautogui.scroll(-3, 150, 210)")] == [Unclear]
    assert [type(d) for d in operations(None, "pyautogui.scroll(-3, 150, 210)")] == [Unclear]
    zoom = operations(page(text), "pyautogui.keyDown('ctrl')", "pyautogui.scroll(-3, 150, 350)")
    assert not any(isinstance(operation, Nothing) for operation in zoom)


def test_moving_is_nothing_only_over_what_does_not_react() -> None:
    assert [type(d) for d in operations(page(BUTTON), "pyautogui.moveTo(500, 500)")] == [Nothing]
    assert [type(d) for d in operations(page(BUTTON), "pyautogui.moveTo(150, 220)")] == [Unclear]
    assert [type(d) for d in operations(None, "pyautogui.moveTo(150, 220)")] == [Unclear]


def test_waiting_with_a_key_held_down_is_no_rest() -> None:
    assert [type(d) for d in operations(page(), "pyautogui.keyDown('delete')", "import time; time.sleep(2)")] != [
        Nothing
    ]
    held = follow(InputState(), (KeyDown(key="ctrl"), Wait(seconds=1)), view(page()))
    assert not isinstance(held[-1], Nothing)


def test_a_program_runs_for_certain_and_clicks_perhaps() -> None:
    source = "import os\nif True:\n    pyautogui.click(150, 220)\nos.system('ls')"
    found = operations(page(BUTTON), source)
    assert ("ls", True) in [(operation.line, operation.certain) for operation in found if isinstance(operation, Ran)]
    assert [operation.certain for operation in found if isinstance(operation, Pressed)] == [False]


def test_bash_code_runs() -> None:
    found = follow(InputState(), (Code(source="rm -rf ~", language="bash"),), view(None))
    assert isinstance(found[0], Ran) and found[0].certain


def test_endings() -> None:
    assert follow(InputState(), (Done(),), view(None)) == (EpisodeEnd("done"),)


POINTS = st.builds(Point, st.integers(0, 1000), st.integers(0, 700))
KEYS = st.sampled_from(
    ["a", "enter", "tab", "up", "left", "home", "delete", "backspace", "ctrl", "shift", "alt", "v", "c", "esc", "f2"]
)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(
        Click, at=st.none() | POINTS, button=st.sampled_from(["left", "right", "middle"]), count=st.integers(1, 3)
    ),
    st.builds(Move, to=POINTS),
    st.builds(Drag, start=st.none() | POINTS, path=st.tuples(POINTS)),
    st.builds(MouseDown, at=st.none() | POINTS),
    st.builds(MouseUp, at=st.none() | POINTS),
    st.builds(Scroll, at=st.none() | POINTS, dy=st.integers(-5, 5)),
    st.builds(Type, text=st.text(st.sampled_from("ls -r~'\"\n\tx@.:/"), max_size=30)),
    st.builds(Key, key=KEYS, presses=st.integers(1, 3)),
    st.builds(Hotkey, keys=st.lists(KEYS, min_size=1, max_size=3).map(tuple)),
    st.builds(KeyDown, key=KEYS),
    st.builds(KeyUp, key=KEYS),
    st.builds(HoldKey, keys=st.tuples(KEYS), duration=st.just(1.0)),
    st.builds(Wait),
    st.builds(Screenshot),
    st.builds(CursorPosition),
    st.builds(Zoom, top_left=POINTS, bottom_right=POINTS),
    st.builds(Code, source=st.text(max_size=60)),
)
SCREENS = (None, terminal(), page(BUTTON, FIELD))


@settings(deadline=None, max_examples=200)
@given(st.lists(ACTIONS, max_size=12), st.sampled_from(SCREENS))
def test_every_action_of_any_proposal_is_accounted_for(proposal: list[Action], screen: Observation | None) -> None:
    found = follow(InputState(), tuple(proposal), view(screen))
    quiet = ("wait", "screenshot", "cursor_position", "zoom", "move", "scroll")
    if any(action.kind not in quiet for action in proposal):
        assert not found or not all(isinstance(operation, Nothing) for operation in found)
    assert bool(found) == bool(proposal)


def test_more_actions_than_are_looked_at_are_never_harmless() -> None:
    found = follow(InputState(), actions("import time; time.sleep(1)") * 2000, view(page()))
    assert isinstance(found[-1], Unclear)
