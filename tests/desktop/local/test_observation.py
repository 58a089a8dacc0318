"""What an agent sees of a real desktop: icons, covered elements, line breaks, marks of a sheet."""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, closing

import pytest

from trueline.actions import Action, Click, Drag, Hotkey, Point, Type
from trueline.desktop.bench.pages import sheet
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.desktop.local.running import connect_x
from trueline.desktop.types import WindowShown
from trueline.desktop.x11 import wire
from trueline.records import Observation, ObservationSpec
from trueline.records.tree import Mark, Node, linearise
from trueline.records.tree.read_table import parse_table

pytestmark = pytest.mark.full

SEES = ObservationSpec(tree=True, marks=True)
IDS = itertools.count()


@asynccontextmanager
async def desktop() -> AsyncGenerator[LocalDesktop]:
    async with LocalDesktop(LocalOptions()) as one:
        yield one


def on_a_desktop(test: Callable[[LocalDesktop], Coroutine[object, object, None]]) -> None:
    async def run() -> None:
        async with desktop() as one:
            await test(one)

    asyncio.run(asyncio.wait_for(run(), 120))


async def do(desktop: LocalDesktop, *actions: Action) -> None:
    for action in actions:
        assert (await desktop.act(action, id=f"a{next(IDS)}")).error is None
    await desktop.settle()


def icons(seen: Observation) -> dict[str, Node]:
    assert seen.tree is not None
    return {node.name: node for node in seen.tree.root.walk() if node.role == "icon"}


def mark(seen: Observation, name: str, tag: str) -> Mark:
    return next(mark for mark in seen.marks if (mark.name, mark.tag) == (name, tag))


async def is_drawn(desktop: LocalDesktop, icon: Node, bare: Observation) -> bool:
    """Whether the picture differs from the bare one in the middle of an icon."""
    from io import BytesIO

    from PIL import Image, ImageChops

    assert icon.position is not None and icon.size is not None
    (left, top), (width, height) = icon.position, icon.size
    box = (left, top, left + width, top + height)
    pictures = [Image.open(BytesIO(seen.png() or b"")).convert("RGB").crop(box) for seen in (bare, await look(desktop))]
    return ImageChops.difference(*pictures).getbbox() is not None


async def look(desktop: LocalDesktop) -> Observation:
    return await desktop.observe(SEES)


def test_icons_are_right_at_the_next_observation_whatever_was_done_to_them(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        bare = await look(desktop)
        assert list(icons(bare)) == ["Home"]
        await desktop.put("Desktop/a.txt", b"one")
        await desktop.put("Desktop/b.txt", b"two")
        launcher = b"[Desktop Entry]\nType=Application\nName=My Editor\nExec=mousepad\n"
        await desktop.put("Desktop/editor.desktop", launcher, mode=0o755)
        seen = icons(await look(desktop))
        assert set(seen) == {"Home", "a.txt", "b.txt", "My Editor"}
        assert len({node.position for node in seen.values()}) == 4
        for name in ("a.txt", "b.txt", "My Editor"):
            assert await is_drawn(desktop, seen[name], bare)
        await desktop.run(("mv", "Desktop/a.txt", "Desktop/renamed.txt"))
        after = icons(await look(desktop))
        assert after["renamed.txt"].position == seen["a.txt"].position and "a.txt" not in after
        await desktop.run(("rm", "Desktop/b.txt"))
        assert "b.txt" not in icons(await look(desktop))
        start = after["renamed.txt"].centre
        assert start is not None
        await do(desktop, Drag(start=Point(*start), path=(Point(900, 600),)))
        moved = icons(await look(desktop))["renamed.txt"]
        assert moved.position is not None and moved.size is not None
        assert abs(moved.position.x - 900) < 110 and abs(moved.position.y - 600) < 120
        assert await is_drawn(desktop, moved, bare)
        seen_mark = mark(await look(desktop), "renamed.txt", "icon")
        await do(desktop, Click(at=Point(*seen_mark.point), count=2))
        window = await desktop.wait_for(WindowShown(title="renamed.txt"), time_limit=30)
        assert window is not None
        await desktop.run(
            ("xfconf-query", "-c", "xfce4-desktop", "-p", "/desktop-icons/style", "-n", "-t", "int", "-s", "0")
        )
        assert icons(await look(desktop)) == {}

    on_a_desktop(test)


async def owner_at(desktop: LocalDesktop, at: Point) -> int:
    """The process of the window at a point, as the X server finds it from the screen inwards."""
    x = await connect_x(desktop.running.sandbox)
    with closing(x):
        pid_name, window, found = x.atom("_NET_WM_PID"), x.screen.root, 0
        while window:
            numbers = wire.read_numbers(x.ask(wire.get_property(window, pid_name, 1)))
            found = numbers[0] if numbers else found
            inner = struct.pack("<BxHIIhh", 40, 4, x.screen.root, window, at.x, at.y)
            (window,) = struct.unpack_from("<I", x.ask(inner), 8)
        return found


async def pid_of(desktop: LocalDesktop, program: str) -> int:
    return int((await desktop.run(("pgrep", "-x", program))).text.split()[0])


def of(seen: Observation, app: str) -> list[Node]:
    assert seen.tree is not None
    root = next(one for one in seen.tree.root.children if one.name == app)
    return list(root.walk())


def test_marks_point_at_the_window_of_their_element_and_covered_rows_say_so(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        await desktop.put("two.txt", b'first\nsecond "quoted"\n')
        await open_application(desktop, APPLICATIONS["mousepad"], "/home/user/two.txt")
        await desktop.launch(("xfce4-terminal", "--geometry=60x12+500+280"))
        await desktop.wait_for(WindowShown(app="xfce4-terminal"), time_limit=30)
        await do(desktop, Type(text="printf 'one\\ntwo\\n'\n"))
        seen = await look(desktop)
        assert seen.tree is not None
        editor, terminal = await pid_of(desktop, "mousepad"), await pid_of(desktop, "xfce4-terminal")
        owners = {
            id(node): pid for pid, app in ((editor, "mousepad"), (terminal, "xfce4-terminal")) for node in of(seen, app)
        }
        places = {(node.role, node.name, node.position): owners.get(id(node)) for node in seen.tree.root.walk()}
        assert any(node.covered for node in of(seen, "mousepad"))
        checked = 0
        for one in seen.marks:
            wanted = places[one.tag, one.name, one.position]
            if wanted is not None:
                assert await owner_at(desktop, Point(*one.point)) == wanted, one
                checked += 1
        assert checked >= 6
        rows = parse_table(linearise(seen.tree))
        assert any(row.tag == "menu" and row.description == "covered" for row in rows)
        shell = next(row for row in rows if row.tag == "terminal")
        assert "\none\ntwo\n" in shell.text
        text = next(row for row in rows if row.tag == "text")
        assert text.text == 'first\nsecond "quoted"'

    on_a_desktop(test)


def test_an_open_menu_covers_what_lies_below_and_its_entries_can_be_clicked(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        await open_application(desktop, APPLICATIONS["mousepad"])
        await desktop.put("Desktop/a.txt", b"one")
        await do(desktop, Hotkey(keys=("alt", "h")))
        seen = await look(desktop)
        entries = [one for one in seen.marks if one.tag == "menu-item"]
        about = next(one for one in entries if one.name.startswith("About"))
        assert await owner_at(desktop, Point(*about.point)) == await pid_of(desktop, "mousepad")
        await do(desktop, Click(at=Point(*about.point)))
        assert await desktop.wait_for(WindowShown(title="About Mousepad"), time_limit=30)

    on_a_desktop(test)


def test_a_sheet_stays_readable_and_its_tags_lead_to_the_cells(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        await desktop.put("sheet.fods", sheet())
        await open_application(desktop, APPLICATIONS["calc"], "/home/user/sheet.fods")
        seen = await look(desktop)
        cells = [one for one in seen.marks if one.tag == "table-cell"]
        assert len(cells) > 300 and sum(one.drawn for one in cells) <= 2
        assert [one.drawn for one in seen.marks].count(True) < 150
        cell = mark(seen, "D5", "table-cell")
        await do(desktop, Click(at=Point(*cell.point)))
        names = {node.text for node in of(await look(desktop), "soffice") if node.role == "text"}
        assert "D5" in names

    on_a_desktop(test)
