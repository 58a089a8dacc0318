"""Seeing and acting on a real desktop, through the contract."""

from __future__ import annotations

import asyncio
import io

import pytest
from PIL import Image

from trueline.actions import Click, Code, Done, Hotkey, Key, Point, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    Capability,
    Desktop,
    Settled,
    WindowShown,
)
from trueline.records import ObservationSpec
from trueline.records.tree import Tree


def names(tree: Tree) -> str:
    return str(tree)


@pytest.fixture(scope="module")
def editor(runner: asyncio.Runner, desktop: LocalDesktop) -> LocalDesktop:
    runner.run(desktop.launch(("mousepad", "Desktop/letter.txt")))
    runner.run(desktop.wait_for(WindowShown("letter.txt"), time_limit=20))
    runner.run(desktop.wait_for(Settled(), time_limit=5))
    return desktop


def test_it_is_a_desktop(desktop: LocalDesktop) -> None:
    contract: Desktop = desktop
    assert {Capability.DIFF, Capability.RECORD} <= contract.capabilities


def test_a_screenshot_shows_the_desktop(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    seen = runner.run(desktop.observe(ObservationSpec()))
    png = seen.png()
    assert png is not None and seen.screen == (1024, 768) and seen.tree is None
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (1024, 768)
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20, "not an empty screen"
    small = runner.run(desktop.observe(ObservationSpec(size=(512, 384)))).png()
    assert small is not None
    with Image.open(io.BytesIO(small)) as image:
        assert image.size == (512, 384)


def test_text_is_typed_and_saved(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    window = next(window for window in runner.run(editor.windows()) if window.app == "mousepad")
    middle = Point(window.x + window.width // 2, window.y + window.height // 2)
    for number, action in enumerate(
        [Click(at=middle), Type(text="Dear <all>, 你好\nsecond"), Hotkey(keys=("ctrl", "s"))]
    ):
        assert runner.run(editor.act(action, id=f"typing-{number}")).error is None
    runner.run(editor.wait_for(Settled(), time_limit=5))

    async def saved() -> bytes:
        while True:
            content = await editor.get("Desktop/letter.txt")
            if content:
                return content
            await asyncio.sleep(0.01)

    assert runner.run(asyncio.wait_for(saved(), 10)).decode().rstrip("\n") == "Dear <all>, 你好\nsecond"
    tree = runner.run(editor.observe(ObservationSpec(screenshot=False, tree=True, marks=True)))
    assert tree.tree is not None and "Dear <all>, 你好" in names(tree.tree) and tree.marks


def test_an_id_acts_once(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    code = Code(source="open('count', 'a').write('x')")
    first = runner.run(desktop.act(code, id="once"))
    assert runner.run(desktop.act(code, id="once")) == first and first.error is None
    runner.run(desktop.act(code, id="another"))
    assert runner.run(desktop.get("count")) == b"xx"


def test_what_an_action_says_and_gets_wrong(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    said = runner.run(desktop.act(Code(source="import pyautogui\nprint(pyautogui.size())\n1/0"), id="a"))
    assert said.returncode == 1 and said.output is not None and "1024" in said.output
    assert "ZeroDivisionError" in said.output and said.error is not None
    shell = runner.run(desktop.act(Code(source="echo out; exit 4", language="bash"), id="b"))
    assert (shell.returncode, shell.output) == (4, "out\n")
    assert runner.run(desktop.act(Key(key="nosuchkey"), id="c")).error is not None
    assert runner.run(desktop.act(Done(), id="d")).error is None


def test_code_that_kills_its_worker_is_survived(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    with pytest.raises((ActionInterrupted, ActionTimeout)):
        runner.run(desktop.act(Code(source="import os\nos.system('pkill -9 -f worker.pyz')"), id="kill"))
    again = runner.run(desktop.act(Code(source="print('here')"), id="after"))
    assert again.output == "here\n"
