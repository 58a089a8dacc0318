"""Keys that are tied to a window go nowhere else."""

from __future__ import annotations

import asyncio

import pytest

from trueline.actions import Action, Click, HoldKey, Hotkey, Key, KeyDown, Point, Type
from trueline.desktop.local import LocalDesktop
from trueline.desktop.types import Settled, TiesKeyboard, WindowShown

TEXT = "one two\r\nthré 漢字\n" + "long " * 20
ELSEWHERE: dict[str, Action] = {
    "type": Type(text="no\n"), "key": Key(key="enter", presses=2), "hotkey": Hotkey(keys=("ctrl", "a")),
    "hold": HoldKey(keys=("a",), duration=0.0), "down": KeyDown(key="a"),
}  # fmt: skip


@pytest.fixture(scope="module")
def editor(desktop: LocalDesktop, runner: asyncio.Runner) -> int:
    """The id of an editor's window, which has the keyboard."""

    async def open_editor() -> int:
        await desktop.put("tied.txt", b"")
        await desktop.launch(("mousepad", "/home/user/tied.txt"))
        shown = await desktop.wait_for(WindowShown(app="mousepad"))
        await desktop.wait_for(Settled())
        assert shown is not None
        return shown.id

    return runner.run(open_editor())


def test_all_keys_arrive_in_the_window(desktop: LocalDesktop, editor: int, runner: asyncio.Runner) -> None:
    async def write() -> str:
        for id, action in {"text": Type(text=TEXT), "save": Hotkey(keys=("ctrl", "s"))}.items():
            assert (await desktop.act_in(action, id=id, window=editor)).cut_offs == ()
        await desktop.wait_for(Settled())
        return (await desktop.get("tied.txt")).decode()

    assert isinstance(desktop, TiesKeyboard)
    assert runner.run(write()) == TEXT.replace("\r\n", "\n")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_no_key_is_pressed_while_another_window_has_the_keyboard(
    desktop: LocalDesktop, editor: int, runner: asyncio.Runner, name: str
) -> None:
    async def press() -> list[tuple[int, int]]:
        result = await desktop.act_in(ELSEWHERE[name], id=name, window=editor + 1)
        return [(cut.done, cut.of) for cut in result.cut_offs]

    assert runner.run(press()) == [(0, {"type": 3, "key": 2}.get(name, 1))]
    assert runner.run(desktop.get("tied.txt")).decode() == TEXT.replace("\r\n", "\n")


def test_what_is_no_key_is_done_all_the_same(desktop: LocalDesktop, editor: int, runner: asyncio.Runner) -> None:
    result = runner.run(desktop.act_in(Click(at=Point(5, 700)), id="click", window=editor + 1))
    assert (result.error, result.cut_offs) == (None, ())
