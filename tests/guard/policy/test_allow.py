"""An allow clears only what is certain: that this runs, and nothing else, and that its name means what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.policy.policy_samples import NOW, app, desktop, node, page, question, terminal
from trueline.guard.policy.ruleset import Rules, load_rules
from trueline.guard.policy.stage import judge
from trueline.records.observation import Observation
from trueline.records.verdict import Decision

AT_PROMPT = terminal()
BLIND = Observation(time=NOW)
BUTTON = page(
    node("push-button", "Go", (10, 90, 40, 20)), node("entry", "Name", (10, 190, 90, 20), states=["editable"])
)
EDITOR = desktop(app("mousepad", node("text", "", (0, 60, 900, 600), states=["focused", "editable"])))


def write(text: str) -> str:
    return f"pyautogui.write({text!r})"


LS = write("ls\n")


@pytest.fixture
def allowing(tmp_path: Path) -> Rules:
    path = tmp_path / "rules.yaml"
    path.write_text(
        "rules:\n"
        "  - {id: a, description: looks, effect: allow, when: {command: {program: [ls, pwd]}}}\n"
        "  - {id: b, description: writes, effect: allow, when: {text: {matches: ['*']}}}\n"
        "  - {id: c, description: presses, effect: allow, when: {press: {}}}\n"
    )
    return load_rules([path])


def decided(
    rules: Rules, screen: Observation, *source: str, history: tuple[tuple[Observation | None, str], ...] = ()
) -> Decision | None:
    return judge(question(screen, *source, history=history), rules).finding.decision


@pytest.mark.parametrize("line", ["ls\n", "ls -l ~/Documents | pwd\n", "ls $HOME\n"])
def test_what_is_certain_is_cleared(allowing: Rules, line: str) -> None:
    assert decided(allowing, AT_PROMPT, write(line)) is Decision.ALIGNED


def test_what_the_screen_shows_to_be_typed_so_far_is_known(allowing: Rules) -> None:
    typed = ((AT_PROMPT, write("ls -")),)
    assert decided(allowing, terminal("user@desk:~$ ls -"), write("l\n"), history=typed) is Decision.ALIGNED


@pytest.mark.parametrize(
    "line",
    [
        "./ls", "/tmp/ls", "LD_PRELOAD=/tmp/x.so ls", "env LD_PRELOAD=/tmp/x.so ls", "sudo ls", "ls $(/tmp/x)",
        "ls ${x:-$(/tmp/x)}", "ls $((a[$(/tmp/x)]))", "ls $UNKNOWN", "ls > notes.txt", "ls !!", "ls\x10", "ls; touch x",
        "PATH=/tmp:$PATH; ls", "ls(){ touch x; }; ls",
    ],
)  # fmt: skip
def test_a_command_that_may_be_another_is_passed_on(allowing: Rules, line: str) -> None:
    assert decided(allowing, AT_PROMPT, write(f"{line}\n")) is None


@pytest.mark.parametrize(
    "earlier",
    [
        "ls(){ touch x; }", "export PATH=/tmp/x:$PATH", "PROMPT_COMMAND=x", "hash -p /tmp/x ls", "trap x DEBUG",
        "source /tmp/x", "eval \"$X\"", "ssh me@b.example", "bash", "sudo -i", "./configure",
        "cp /tmp/x ~/.local/bin/ls",
    ],
)  # fmt: skip
def test_what_ran_before_may_have_changed_what_the_name_means(allowing: Rules, earlier: str) -> None:
    assert decided(allowing, AT_PROMPT, LS, history=((AT_PROMPT, write(f"{earlier}\n")),)) is None


@pytest.mark.parametrize("earlier", ["mkdir x", "cd x", "cat notes.txt"])
def test_other_work_leaves_it_as_it_is(allowing: Rules, earlier: str) -> None:
    assert decided(allowing, AT_PROMPT, LS, history=((AT_PROMPT, write(f"{earlier}\n")),)) is Decision.ALIGNED


@pytest.mark.parametrize(
    ("screen", "source", "history"),
    [
        pytest.param(terminal("user@desk:~$ touch x; "), LS, (), id="something stands in the line"),
        pytest.param(terminal("[sudo] password for user:"), LS, (), id="somebody else reads"),
        pytest.param(terminal("Downloading x"), LS, (), id="a program runs"),
        pytest.param(terminal(""), LS, (), id="nothing shows a prompt"),
        pytest.param(AT_PROMPT, LS, ((BLIND, write("touch x; ")),), id="typed without a screen"),
        pytest.param(
            AT_PROMPT, LS, ((AT_PROMPT, "for c in 'touch x;':\n    pyautogui.press(c)"),), id="a program typed"
        ),
        pytest.param(
            AT_PROMPT,
            LS,
            ((AT_PROMPT, write("touch x; ")), (EDITOR, write("a")), (AT_PROMPT, "pyautogui.hotkey('alt', 'tab')")),
            id="left standing while others had the keyboard",
        ),
        pytest.param(
            AT_PROMPT,
            f"{write('ls ')}\npyautogui.press('esc')\n{write('.')}\npyautogui.press('enter')",
            (),
            id="Esc and a dot",
        ),
        pytest.param(AT_PROMPT, write("ls\nls\n"), (), id="the next line may go to what the first started"),
        pytest.param(AT_PROMPT, LS, ((AT_PROMPT, "pyautogui.keyDown('ctrl')"),), id="a key is held"),
    ],
)
def test_what_else_stands_in_the_line_must_be_known(
    allowing: Rules, screen: Observation, source: str, history: tuple[tuple[Observation | None, str], ...]
) -> None:
    assert decided(allowing, screen, source, history=history) is None


def test_a_press_or_a_text_is_cleared_only_where_it_is_known_what_gets_it(allowing: Rules) -> None:
    assert decided(allowing, BUTTON, "pyautogui.click(20, 100)") is Decision.ALIGNED
    assert decided(allowing, BUTTON, "pyautogui.click(20, 200)", write("Ann")) is Decision.ALIGNED
    assert decided(allowing, BLIND, "pyautogui.click(20, 100)") is None
    assert decided(allowing, BLIND, write("Ann")) is None
    held = ((BUTTON, "pyautogui.keyDown('ctrl')"),)
    assert decided(allowing, BUTTON, "pyautogui.click(20, 100)", history=held) is None
    assert decided(allowing, BUTTON, "pyautogui.click(20, 200)", "pyautogui.hotkey('ctrl', 'v')") is None
