"""Windows of a real desktop are known by what the kernel says of their programs, whatever those say of themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime

import pytest

from trueline.actions import Click, Point
from trueline.desktop.accessibility.documents import origin_of
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, open_application
from trueline.desktop.types import WindowShown
from trueline.guard.scope.place import place_effects
from trueline.guard.scope.processes import process_effects
from trueline.guard.scope.types import ApplicationGrant, Place, Scope, SiteGrant
from trueline.records import Observation, ObservationSpec
from trueline.records.shown_window import ShownWindow

SCOPE = Scope(
    made_by="hand",
    applications=(
        ApplicationGrant(application="mousepad", because="x"),
        ApplicationGrant(application="chrome", because="x"),
    ),
    sites=(SiteGrant(site="127.0.0.1", because="x"),),
)
SERVED = b"<title>Mousepad</title><p>page</p><iframe src='http://localhost:8010/in.html' width=300 height=200></iframe>"
SEES = ObservationSpec(tree=True)


async def window_of(desktop: LocalDesktop, title: str, app: str = "", *, new: bool = False) -> tuple[int, Point]:
    """The id of a window and a point in it."""
    shown = await desktop.wait_for(WindowShown(title, app, new), time_limit=60)
    assert shown is not None
    await desktop.settle()
    found = next(one for one in await desktop.windows() if one.id == shown.id)
    return found.id, Point(found.x + found.width // 2, found.y + found.height // 2)


async def see(desktop: LocalDesktop) -> Observation:
    return await desktop.observe(SEES)


def used_at(at: Point, seen: Observation) -> dict[str, Place]:
    """Where a click would lie, by kind of effect."""
    return {one.effect.kind: one.place for one in place_effects(process_effects((Click(at=at),), seen.windows), SCOPE)}


def drawing(seen: Observation, executable: str) -> list[ShownWindow]:
    return [window for window in seen.windows if window.executable == executable]


@pytest.mark.full
def test_only_the_real_application_is_inside_whatever_others_call_themselves(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        await open_application(desktop, APPLICATIONS["mousepad"])
        number, at = await window_of(desktop, "Untitled", "mousepad")
        seen = await see(desktop)
        assert used_at(at, seen) == {"use": "inside"} and drawing(seen, "/usr/bin/mousepad")[-1].focused
        # A terminal that calls itself so.
        await desktop.launch(("xfce4-terminal", "-T", "Untitled 1 - Mousepad", "--maximize"))
        terminal, _ = await window_of(desktop, "Mousepad", "xfce4-terminal")
        assert used_at(at, await see(desktop)) == {"use": "outside"}
        await desktop.run(("xdotool", "windowkill", str(terminal)))
        # A copy of the program that anybody could have put there, and one that lies about its process.
        await desktop.run(("cp", "/usr/bin/mousepad", "/home/user/mousepad"))
        await desktop.launch(("/home/user/mousepad", "--disable-server"))
        copy, over = await window_of(desktop, "Untitled", "mousepad", new=True)
        assert used_at(over, await see(desktop)) == {"use": "unknown"}
        pid = drawing(seen, "/usr/bin/mousepad")[-1].pid
        lie = ("xprop", "-id", str(copy), "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", str(pid))
        await desktop.run(lie)
        lied = await see(desktop)
        assert used_at(over, lied) == {} and len(drawing(lied, "/usr/bin/mousepad")) == 1
        assert number != copy

    run(test)


@pytest.mark.full
def test_pages_are_known_by_the_address_that_the_browser_loaded(machine: None) -> None:
    async def test(desktop: LocalDesktop) -> None:
        await desktop.put("www/index.html", SERVED)
        await desktop.put("www/in.html", b"inner")
        await desktop.launch(("python3", "-m", "http.server", "8010", "-d", "/home/user/www"))
        await open_application(desktop, APPLICATIONS["chromium"], "http://127.0.0.1:8010/index.html")
        _, at = await window_of(desktop, "Mousepad", "chromium")
        seen = await see(desktop)
        (browser,) = drawing(seen, "/usr/lib/chromium/chromium")
        page, frame = browser.pages[0], browser.pages[-1]
        assert (page.origin, frame.origin) == ("http://127.0.0.1:8010", "http://localhost:8010")
        assert used_at(at, seen) == {"use": "inside", "visit": "inside"}
        inner = Point(frame.place.x + 50, frame.place.y + 50)
        assert used_at(inner, seen) == {"use": "inside", "visit": "outside"}
        bar = Point(browser.place.x + 400, browser.place.y + 5)
        assert used_at(bar, seen) == {"use": "inside"}

    run(test)


def run(test: Callable[[LocalDesktop], Coroutine[object, object, None]]) -> None:
    async def on_a_desktop() -> None:
        async with LocalDesktop(LocalOptions()) as desktop:
            await test(desktop)

    asyncio.run(asyncio.wait_for(on_a_desktop(), 180))


def test_only_addresses_of_the_web_have_an_origin() -> None:
    assert origin_of("https://A.example:8443/x?y#z") == "https://a.example:8443"
    assert origin_of("http://user:pw@a.example@b.example/") == "http://b.example"
    assert origin_of("http://[::1]:8000/") == "http://[::1]:8000"
    others = ("", "about:blank", "data:text/html,x", "file:///etc/hosts", "blob:https://a.example/1", "http://[", "x")
    assert [origin_of(address) for address in (*others, "http://a.example:port/")] == [""] * 8
    assert Observation(datetime.now(UTC)).windows == ()
