"""The times of a local desktop: medians of a few runs, the naive way measured on the same desktop right after."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from trueline.actions import Click, Move, Point, Type
from trueline.desktop.accessibility import Accessibility
from trueline.desktop.bench import naive
from trueline.desktop.bench.over_http import Asked, ask_both
from trueline.desktop.bench.pages import sheet, web_page
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, find_application, open_application
from trueline.desktop.local.controller import accessibility_bus
from trueline.desktop.screen import Framebuffer
from trueline.desktop.types import DesktopUnavailable, WindowShown
from trueline.records import ObservationSpec

TEXT = "The quick brown fox jumps over the lazy dog 012345"
_OFTEN, _SELDOM = 30, 5
_WALK_LIMIT = 120.0


@dataclass
class Figures:
    """The figures: seconds, milliseconds, and how many times longer the naive way takes."""

    start_s: float = 0.0
    reset_s: float = 0.0
    screenshot_ms: float = 0.0
    tree_ms: dict[str, float] = field(default_factory=dict[str, float])
    click_ms: float = 0.0
    type50_ms: float = 0.0
    ratios: dict[str, float] = field(default_factory=dict[str, float])
    http: dict[str, Asked] = field(default_factory=dict[str, Asked])
    """What a client sees over HTTP, beside a stand-in for OSWorld's server on the same desktop."""


async def measure(runs: int = 3, *, say: Callable[[str], None] = lambda _: None) -> Figures:
    """Measure everything; an application that is not installed is left out.

    Raises:
        DesktopUnavailable: This machine cannot run local desktops.
    """
    figures = Figures()
    async with LocalDesktop(LocalOptions()):
        pass  # the template is made ready, the page cache filled
    say("start and reset")
    await _measure_starts(figures, runs)
    for name in ("mousepad", "calc", "chromium"):
        try:
            find_application(name)
        except DesktopUnavailable:
            continue
        say(name)
        async with LocalDesktop(LocalOptions()) as desktop:
            await _measure_application(desktop, name, figures)
            if name == "mousepad":
                await _measure_screen_and_input(desktop, figures)
                figures.http["screenshot"] = await ask_both(desktop, "/screenshot", _OFTEN)
            figures.http[f"tree_{name}"] = await ask_both(desktop, "/accessibility", 3)
    return figures


async def _measure_starts(figures: Figures, runs: int) -> None:
    starts, resets = list[float](), list[float]()
    mousepad = APPLICATIONS["mousepad"]
    for _ in range(runs):
        desktop = LocalDesktop(LocalOptions())

        async def reset(desktop: LocalDesktop = desktop) -> None:
            await desktop.reset()
            await desktop.launch(mousepad.argv)
            await desktop.wait_for(WindowShown(app=mousepad.window))

        try:
            starts.append(await _seconds(desktop.start))
            resets.append(await _seconds(reset))
        finally:
            await desktop.stop()
    figures.start_s, figures.reset_s = round(statistics.median(starts), 3), round(statistics.median(resets), 3)


async def _measure_application(desktop: LocalDesktop, name: str, figures: Figures) -> None:
    """The tree of one application."""
    pages = {"calc": ("sheet.fods", sheet()), "chromium": ("rows.html", web_page())}
    arguments: tuple[str, ...] = ()
    if name in pages:
        path, content = pages[name]
        await desktop.put(path, content)
        arguments = (f"/home/user/{path}",)
    await open_application(desktop, APPLICATIONS[name], *arguments)
    bus = await accessibility_bus(desktop.running.sandbox)
    tree = await asyncio.to_thread(Accessibility, bus)
    try:
        figures.tree_ms[name] = await _in_thread(lambda: tree.read(cells=False), _SELDOM)
        if name == "calc":
            figures.tree_ms["calc_cells"] = await _in_thread(tree.read, _SELDOM)
        slow = await _in_thread(lambda: naive.node_by_node(bus), 1)
        figures.ratios[f"tree_{name}_node_by_node"] = round(slow / figures.tree_ms[name], 1)
        walked = await desktop.run(naive.pyatspi_walk(), time_limit=_WALK_LIMIT)
        if walked.returncode == 0:
            figures.ratios[f"tree_{name}_pyatspi"] = round(float(walked.text.split()[0]) / figures.tree_ms[name], 1)
    finally:
        tree.close()


async def _measure_screen_and_input(desktop: LocalDesktop, figures: Figures) -> None:
    """Screenshot, click and text, with mousepad open."""
    figures.screenshot_ms = await _screenshot(desktop)
    with Framebuffer(desktop.running.sandbox.path("fb") / "Xvfb_screen0") as screen:
        frame = screen.read()
    pillow = await _in_thread(lambda: naive.pillow_png(frame), _SELDOM)
    figures.ratios["screenshot_pillow_png"] = round(pillow / figures.screenshot_ms, 1)
    scrot = ("scrot", "-o", "/tmp/shot.png")  # noqa: S108 - inside
    if (await desktop.run(("sh", "-c", "command -v scrot"))).returncode == 0:
        slow = await _median(lambda: desktop.run(scrot), _SELDOM)
        figures.ratios["screenshot_scrot"] = round(slow / figures.screenshot_ms, 1)

    numbers = iter(range(1_000_000))
    click, text = Click(at=Point(960, 540)), Type(text=TEXT)
    figures.click_ms = await _median(lambda: desktop.act(click, id=f"click-{next(numbers)}"), _OFTEN)
    figures.type50_ms = await _median(lambda: desktop.act(text, id=f"type-{next(numbers)}"), _OFTEN)
    slow_click = await _median(lambda: desktop.run(naive.new_python("click(960, 540)")), _SELDOM)
    slow_text = await _median(lambda: desktop.run(naive.new_python(f"write({TEXT!r})")), _SELDOM)
    figures.ratios["click_new_python"] = round(slow_click / figures.click_ms, 1)
    figures.ratios["type50_new_python"] = round(slow_text / figures.type50_ms, 1)


async def _screenshot(desktop: LocalDesktop) -> float:
    """Time a screenshot after a pointer move, because an unchanged screen would come from the cache."""
    times: list[float] = []
    for number in range(_OFTEN):
        await desktop.act(Move(to=Point(100 + 37 * number, 900 - 23 * number)), id=f"move-{number}")
        times.append(await _seconds(lambda: desktop.observe(ObservationSpec())))
    return _ms(times[1:])


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def _median(work: Callable[[], Awaitable[object]], times: int) -> float:
    """Milliseconds of one call, after one that does not count."""
    if times > 1:
        await work()
    return _ms([await _seconds(work) for _ in range(times)])


def _ms(times: list[float]) -> float:
    return round(statistics.median(times) * 1e3, 3)


async def _in_thread(work: Callable[[], object], times: int) -> float:
    return await _median(lambda: asyncio.to_thread(work), times)
