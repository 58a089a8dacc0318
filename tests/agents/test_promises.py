"""What the prompts promise is tried on a real desktop.

Each test names the words of the prompts that it tries. A prompt that no test has read fails
`test_every_prompt_is_tried`: add what it promises here.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections.abc import Awaitable, Callable

import pytest
from PIL import Image

from trueline.actions import Action, Code, Done, Fail, Wait
from trueline.actions.codecs.claude import INFEASIBLE
from trueline.agents.conversation import PACKAGE
from trueline.agents.native.agent import REFUSED
from trueline.agents.prompt import PromptOptions
from trueline.agents.prompt.observation_message import CUT_MARK, cut
from trueline.agents.prompt.read_answer import ActionSpace, read_answer
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.models.prompt_files import fill_prompts, read_prompt
from trueline.records import ObservationSpec
from trueline.records.tree import Size, linearise, marks_text

WIDTH, HEIGHT, PASSWORD = 1280, 800, "pass word"
SCREEN = Size(WIDTH, HEIGHT)
IDS = itertools.count()
TRIED = {
    "role.v1", "sees.screenshot.v1", "sees.a11y_tree.v2", "sees.screenshot_a11y_tree.v2", "sees.som.v2",
    "acts.pyautogui.v1", "acts.tags.v2", "acts.computer_13.v1", "ends.v1", "native.v1",
}  # fmt: skip
PROMISES_NOTHING = {"safety.v1", "turns.v1"}


def promise(prompt: str, words: str) -> None:
    """Require that a prompt still says this."""
    said = " ".join(read_prompt(PACKAGE, prompt).split())
    assert words in said, f"{prompt} no longer says {words!r}: try what it says now"


def test_every_prompt_is_tried() -> None:
    from importlib import resources

    files = {path.name.removesuffix(".md") for path in (resources.files(PACKAGE) / "prompts").iterdir()}
    assert files == TRIED | PROMISES_NOTHING


def test_the_words_that_end_a_task_are_understood() -> None:
    promise("ends.v1", "`WAIT` when the computer is still busy")
    promise("ends.v1", "`DONE` when the task is finished")
    promise("ends.v1", "`FAIL` when the task cannot be done")
    promise("ends.v1", "write a line before it that begins with `REFUSED:` and your reason")
    promise("native.v1", f"begin the answer with `{INFEASIBLE}`")
    promise("native.v1", f"begin the answer with `{REFUSED}`")
    for word, kind in (("WAIT", Wait), ("DONE", Done), ("FAIL", Fail)):
        (action,) = read_answer(f"Thought.\n```\n{word}\n```", "pyautogui", SCREEN).actions
        assert isinstance(action, kind)
    (action,) = read_answer("REFUSED: not this\n```\nFAIL\n```", "pyautogui", SCREEN).actions
    assert isinstance(action, Fail) and action.refused and action.reason == "not this"


def on_a_desktop(test: Callable[[LocalDesktop], Awaitable[None]]) -> None:
    async def run() -> None:
        options = LocalOptions(WIDTH, HEIGHT, sudo_password=PASSWORD)
        async with asyncio.timeout(120), LocalDesktop(options) as desktop:
            await test(desktop)

    asyncio.run(run())


async def answer(desktop: LocalDesktop, text: str, space: ActionSpace = "pyautogui") -> list[Action]:
    """Do what an answer says."""
    reading = read_answer(text, space, SCREEN)
    assert not reading.problem
    for action in reading.actions:
        result = await desktop.act(action, id=f"p{next(IDS)}")
        assert result.error is None, result.output
    return list(reading.actions)


async def pointer(desktop: LocalDesktop) -> str:
    return (await desktop.run(("xdotool", "getmouselocation"))).text.split(" screen")[0]


@pytest.mark.full
def test_the_screen_and_the_account_are_as_the_role_says(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        said = fill_prompts(PACKAGE, PromptOptions().prompts, width=WIDTH, height=HEIGHT, password=PASSWORD)
        assert f"The screen is {WIDTH} pixels wide and {HEIGHT} pixels high" in said
        assert f"password of this account (sudo included), it is `{PASSWORD}`" in " ".join(said.split())
        seen = await desktop.observe(ObservationSpec())
        assert Image.open(io.BytesIO(seen.png() or b"")).size == (WIDTH, HEIGHT)
        promise("role.v1", "(0, 0) at the top left")
        await answer(desktop, "```python\npyautogui.moveTo(0, 0)\n```")
        assert await pointer(desktop) == "x:0 y:0"
        await answer(desktop, f"```python\npyautogui.moveTo({WIDTH - 1}, {HEIGHT - 1})\n```")
        assert await pointer(desktop) == f"x:{WIDTH - 1} y:{HEIGHT - 1}"
        # A desktop without root gives sudo's command no privilege; the password itself is taken and a wrong one is not.
        right = await desktop.run(("sudo", "-S", "true"), stdin=f"{PASSWORD}\n".encode())
        assert right.returncode == 0
        await desktop.run(("sudo", "-k"))
        wrong = await desktop.run(("sudo", "-S", "true"), stdin=b"other\nother\nother\n")
        assert wrong.returncode != 0

    on_a_desktop(test)


@pytest.mark.full
def test_code_runs_as_the_prompts_say(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        for prompt in ("acts.pyautogui.v1", "acts.tags.v2"):
            promise(prompt, "`pyautogui` and `time` are imported already")
            promise(prompt, "nothing that it defines is there next time")
        result = await desktop.act(Code(source="x = 1; time.sleep(0); print(pyautogui.size()[0])"), id="c1")
        assert result.error is None and result.output is not None and str(WIDTH) in result.output
        result = await desktop.act(Code(source="print(x)"), id="c2")
        assert result.error is not None and "NameError" in (result.output or "")

    on_a_desktop(test)


ACTIONS = {
    "MOVE_TO": {"x": 600, "y": 400},
    "CLICK": {"button": "left", "x": 640, "y": 360, "num_clicks": 1},
    "MOUSE_DOWN": {"button": "left"},
    "MOUSE_UP": {"button": "left"},
    "RIGHT_CLICK": {"x": 640, "y": 460},
    "DOUBLE_CLICK": {"x": 640, "y": 460},
    "DRAG_TO": {"x": 700, "y": 470},
    "SCROLL": {"dx": 0, "dy": -2},
    "TYPING": {"text": "Grüße 你好"},
    "PRESS": {"key": "enter"},
    "KEY_DOWN": {"key": "a"},
    "KEY_UP": {"key": "a"},
    "HOTKEY": {"keys": ["ctrl", "pagedown"]},
}


@pytest.mark.full
def test_every_action_of_the_list_is_done(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        rows = [
            line.split("|")[1].strip()
            for line in read_prompt(PACKAGE, "acts.computer_13.v1").splitlines()
            if "|" in line
        ]
        assert set(rows[2:]) == set(ACTIONS)
        promise("acts.computer_13.v1", "(`enter`, `ctrl`, `pagedown`, `a`)")
        await open_application(desktop, APPLICATIONS["mousepad"])
        for kind, parameters in ACTIONS.items():
            body = json.dumps({"action_type": kind, "parameters": parameters})
            assert await answer(desktop, f"```json\n{body}\n```", "computer_13")
        await desktop.settle()
        seen = await desktop.observe(ObservationSpec(tree=True))
        assert seen.tree is not None
        assert any("Grüße 你好" in node.text for node in seen.tree.root.walk())

    on_a_desktop(test)


@pytest.mark.full
def test_table_and_marks_look_as_the_prompts_say(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        columns = "columns tag, name, text, class, description, position of the top left corner, and size"
        for prompt in ("sees.a11y_tree.v2", "sees.screenshot_a11y_tree.v2"):
            promise(prompt, columns)
            promise(prompt, "The middle of an element is its position plus half its size")
            promise(prompt, "`covered` means that another window lies over the element")
            promise(prompt, "`click at (x, y)` names the place to click")
        promise("sees.som.v2", "the columns index, tag, name and text")
        promise("acts.tags.v2", "`tag_7` is a point (x, y) of the element number 7")
        await desktop.put("lines.txt", b"one\ntwo\n")
        await open_application(desktop, APPLICATIONS["mousepad"], "/home/user/lines.txt")
        await open_application(desktop, APPLICATIONS["terminal"])
        seen = await desktop.observe(ObservationSpec(tree=True, marks=True))
        assert seen.tree is not None
        header, *rows = linearise(seen.tree).split("\n")
        assert [word.split(" (")[0] for word in header.split("\t")] == [
            "tag", "name", "text", "class", "description", "position", "size",
        ]  # fmt: skip
        assert any("\tcovered\t" in row or "\tclick at (" in row for row in rows)
        for prompt in ("sees.a11y_tree.v2", "sees.screenshot_a11y_tree.v2", "sees.som.v2"):
            promise(prompt, r"In a quoted text, `\n` is a line break")
            promise(prompt, f"ends in `{CUT_MARK.strip()}`")
        assert any(r'"one\ntwo"' in row for row in rows)
        assert cut(linearise(seen.tree), 20).endswith(CUT_MARK)
        assert marks_text(seen.marks).startswith("index\ttag\tname\ttext\n1\t")
        help_menu = next(one for one in seen.marks if one.name == "Help")
        reading = read_answer(
            f"```python\npyautogui.click(tag_{help_menu.number})\n```", "pyautogui", SCREEN, seen.marks
        )
        (click,) = reading.actions
        assert (await desktop.act(click, id="help")).error is None
        await desktop.settle()
        after = await desktop.observe(ObservationSpec(tree=True, marks=True))
        assert any(one.name.startswith("About") for one in after.marks)

    on_a_desktop(test)
