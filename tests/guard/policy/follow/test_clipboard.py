"""Text that arrives by clipboard goes where the keyboard is, as typed text does."""

from __future__ import annotations

import pytest

from guard.policy.policy_samples import app, desktop, node, operations, page, terminal
from trueline.actions.types import Code
from trueline.guard.policy.follow.follower import follow
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.operations import Opened, Ran, Typed
from trueline.guard.policy.screen.view import view
from trueline.records.observation import Observation

COPY = "import pyperclip\npyperclip.copy({!r})\n"
PASTES = [
    "pyautogui.hotkey('ctrl', 'v')",
    "pyautogui.hotkey('ctrl', 'shift', 'v')",
    "pyautogui.hotkey('shift', 'insert')",
]
DOCUMENT = node("document-text", "Notes", (0, 30, 1000, 600), states=["focused", "editable"])
FIELD = node("entry", "Name", (100, 300, 200, 30), states=["focused", "editable"])


def lines(screen: Observation | None, *sources: str, desk: InputState | None = None) -> list[tuple[str, bool]]:
    found = operations(screen, *sources, desk=desk)
    return [(operation.line, operation.certain) for operation in found if isinstance(operation, Ran)]


@pytest.mark.parametrize("paste", PASTES)
def test_a_pasted_line_runs_in_a_terminal(paste: str) -> None:
    assert lines(terminal(), COPY.format("ls") + paste, "pyautogui.press('enter')") == [("ls", True)]


def test_each_line_of_a_pasted_text_runs() -> None:
    assert lines(terminal(), COPY.format("ls\ncat a\npwd") + PASTES[1]) == [
        ("ls", True),
        ("cat a", True),
        ("pwd", False),
    ]


def test_where_nothing_shows_what_has_the_keyboard_it_may_be_a_terminal() -> None:
    found = operations(None, COPY.format("rm -rf ~") + PASTES[0], "pyautogui.press('enter')")
    assert [operation.line for operation in found if isinstance(operation, Ran) and operation.unseen] == ["rm -rf ~"]


def test_what_is_copied_in_one_step_is_pasted_in_a_later_one() -> None:
    desk = InputState()
    assert lines(terminal(), COPY.format("ls"), desk=desk) == []
    assert lines(terminal(), PASTES[0], desk=desk) == [("ls", False)]
    assert lines(terminal(), "pyautogui.press('enter')", desk=desk) == [("ls", True)]


@pytest.mark.parametrize(
    "line",
    [
        "echo -n ls | xclip -selection clipboard",
        "printf ls | xsel --clipboard --input",
        "printf %s ls | wl-copy",
        "wl-copy ls",
    ],
)
def test_a_line_of_the_terminal_fills_the_clipboard(line: str) -> None:
    desk = InputState()
    operations(terminal(), f"pyautogui.write({line + chr(10)!r})", desk=desk)
    assert lines(terminal(), PASTES[1], "pyautogui.press('enter')", desk=desk) == [("ls", True)]


def test_the_middle_button_pastes_the_other_selection() -> None:
    desk = InputState()
    operations(terminal(), "pyautogui.write('printf ls | xclip\\n')", desk=desk)
    assert lines(terminal(), "pyautogui.middleClick(500, 300)", "pyautogui.press('enter')", desk=desk) == [("ls", True)]


def test_what_a_line_computes_makes_the_clipboard_unknown() -> None:
    desk = InputState(clipboard="ls")
    operations(terminal(), "pyautogui.write('cat a | xclip -selection clipboard\\n')", desk=desk)
    assert desk.clipboard is None


def test_lines_of_a_document_do_not_run() -> None:
    notes = desktop(app("mousepad", DOCUMENT))
    found = operations(notes, COPY.format("ls\nrm -rf ~\n") + PASTES[0])
    assert [operation.text for operation in found if isinstance(operation, Typed)] == ["ls\nrm -rf ~\n"]
    assert not any(isinstance(operation, Ran) for operation in found)


def test_a_field_of_one_line_takes_no_enter_from_a_paste() -> None:
    found = operations(page(FIELD), COPY.format("a\nb\n") + PASTES[0])
    assert [operation.text for operation in found if isinstance(operation, Typed)] == ["a b"]
    source = "pyautogui.hotkey('ctrl', 'l')\n" + COPY.format("a.example\n") + PASTES[0]
    assert not any(isinstance(operation, Opened) for operation in operations(page(), source))
    assert any(isinstance(o, Opened) for o in operations(page(), source, "pyautogui.press('enter')"))


def test_a_command_that_types_is_followed_with_doubt() -> None:
    found = lines(terminal(), "pyautogui.write('xdotool type ls\\n')")
    assert found[0] == ("xdotool type ls", True)
    assert ("ls", False) in found


def test_a_program_that_copies_and_pastes_in_a_loop_types_for_certain() -> None:
    source = (
        "import pyperclip\nfor c in ['ls', 'pwd']:\n    pyperclip.copy(c)\n"
        "    pyautogui.hotkey('ctrl', 'shift', 'v')\n    pyautogui.press('enter')"
    )
    assert [line for line, certain in lines(terminal(), source) if certain] == ["ls", "pwd"]


def test_what_a_program_pastes_in_a_branch_is_not_certain() -> None:
    branch = "if input():\n    pyautogui.hotkey('ctrl', 'v')\n"
    source = COPY.format("ls") + branch + "pyautogui.press('enter')"
    assert not any(certain for _, certain in lines(terminal(), source))


def test_input_follows_a_terminal_that_a_program_starts() -> None:
    source = "import subprocess\nsubprocess.Popen(['xfce4-terminal'])\ntime.sleep(2)\npyautogui.write('ls\\n')"
    assert ("ls", True) in lines(page(), source)


def test_bash_code_types_too() -> None:

    code = Code(source="sleep 1\nxdotool type ls\nxdotool key Return", language="bash")
    found = follow(InputState(), (code,), view(terminal()))
    assert ("ls", True) in [(o.line, o.certain) for o in found if isinstance(o, Ran)]
