"""Seeing and acting on a real desktop, through the contract."""

from __future__ import annotations

import asyncio
import io
from contextlib import suppress

import pytest
from PIL import Image

from trueline.actions import Click, Code, Done, Hotkey, Key, KeyDown, KeyUp, MouseUp, Point, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import (
    ActionInterrupted,
    ActionTimeout,
    Capability,
    Desktop,
    Settled,
    WindowShown,
)
from trueline.errors import InputError
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


def test_a_tree_without_an_application_that_hangs_is_partial(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    whole, part = (ObservationSpec(screenshot=False, tree=True), ObservationSpec(screenshot=False))
    assert not runner.run(editor.observe(whole)).partial
    runner.run(editor.run(("pkill", "-STOP", "mousepad")))
    try:
        assert runner.run(editor.observe(whole)).partial and not runner.run(editor.observe(part)).partial
    finally:
        runner.run(editor.run(("pkill", "-CONT", "mousepad")))


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


def test_an_id_stands_for_one_action(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    runner.run(desktop.act(Key(key="esc"), id="mine"))
    with pytest.raises(InputError, match="action id mine: it was used for another action"):
        runner.run(desktop.act(Key(key="enter"), id="mine"))


DOWN = """
import ctypes
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
keys = (ctypes.c_char * 32)()
x.XQueryKeymap(display, keys)
ids = [ctypes.c_ulong() for _ in range(2)]
places = [ctypes.c_int() for _ in range(4)]
mask = ctypes.c_uint()
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
x.XQueryPointer(display, root, *map(ctypes.byref, (*ids, *places, mask)))
print(sum(byte.bit_count() for byte in bytes(keys)), mask.value >> 8 & 31)
"""


@pytest.mark.parametrize(
    "end", ["raise ValueError", "import os\nos._exit(3)", "import time\ntime.sleep(99)", "os.kill(os.getppid(), 9)"]
)
def test_code_that_fails_leaves_no_key_or_button_down(runner: asyncio.Runner, desktop: LocalDesktop, end: str) -> None:
    def down() -> str:
        return runner.run(desktop.run(("python3", "-c", DOWN))).text

    press = "import os, pyautogui\npyautogui.keyDown('shift')\npyautogui.mouseDown()\n"
    runner.run(desktop.act(KeyDown(key="ctrl"), id=f"before {end}"))
    with suppress(ActionTimeout, ActionInterrupted):
        runner.run(desktop.act(Code(source=press + end), id=f"fails {end}", code_limit=2.0))
    assert down() == "1 0\n", "what was down before stays down"
    runner.run(desktop.act(KeyUp(key="ctrl"), id=f"after {end}"))
    assert runner.run(desktop.act(Code(source=press), id=f"works {end}")).error is None
    assert down() == "1 1\n", "code that works may leave something down"
    runner.run(desktop.act(KeyUp(key="shift"), id=f"up {end}"))
    runner.run(desktop.act(MouseUp(), id=f"let go {end}"))


def test_code_that_kills_its_worker_is_survived(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    with pytest.raises((ActionInterrupted, ActionTimeout)):
        runner.run(desktop.act(Code(source="import os\nos.system('pkill -9 -x worker')"), id="kill"))
    again = runner.run(desktop.act(Code(source="print('here')"), id="after"))
    assert again.output == "here\n"
