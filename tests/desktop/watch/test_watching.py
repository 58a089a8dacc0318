"""A live view, seen and used through a real browser."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.bare_desktop import eventually
from support.browser import Page, browser
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.ownership import owner
from trueline.desktop.types import DesktopUnavailable, WindowShown
from trueline.desktop.watch import watching
from trueline.desktop.watch.packages import check_packages
from trueline.desktop.watch.viewers import Viewers
from trueline.desktop.watch.watching import address
from trueline.records import ObservationSpec

WIDTH, HEIGHT = 1200, 800
BROWSER_PATIENCE = 90.0
"""A browser, a VNC server and a desktop share the processor with the other tests."""
SMALL = LocalOptions(width=WIDTH, height=HEIGHT)


def test_missing_packages_are_named_with_the_line_that_mends_them(tmp_path: Path) -> None:
    with pytest.raises(DesktopUnavailable) as caught:
        check_packages(str(tmp_path), tmp_path)
    assert "x11vnc, websockify, novnc: sudo apt-get" in str(caught.value)
    assert "install -y --no-install-recommends x11vnc websockify novnc" in str(caught.value)


def test_the_secret_of_the_address_stays_in_the_browser() -> None:
    page, _, fragment = address(8080, "a-secret", control=False).partition("#")
    assert page == "http://127.0.0.1:8080/vnc.html"
    assert "a-secret" in fragment and "view_only=1" in fragment


def connected(page: Page) -> bool:
    return bool(page.value("document.documentElement?.classList.contains('noVNC_connected')"))


def canvas_colour(page: Page, x: int, y: int) -> list[int]:
    """The colour of one point of the remote screen, as the page holds it."""
    canvas = "document.querySelector('#noVNC_container canvas')"
    colour: list[int] = page.value(f"{canvas} ? [...{canvas}.getContext('2d').getImageData({x}, {y}, 1, 1).data] : []")
    return colour[:3]


def look(page: Page, url: str, colours: dict[tuple[int, int], list[int]]) -> None:
    page.open(url)
    eventually(lambda: connected(page), "a connection")
    eventually(
        lambda: all(canvas_colour(page, *at) == colour for at, colour in colours.items()), "the desktop's picture"
    )


async def screen_colours(desktop: LocalDesktop, places: list[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
    png = (await desktop.observe(ObservationSpec())).png()
    assert png is not None
    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    return {(x, y): [int(value) for value in pixels[y, x]] for x, y in places}


async def pointer(desktop: LocalDesktop) -> str:
    return (await desktop.run(("xdotool", "getmouselocation"))).text.split(" screen")[0]


@pytest.mark.full
def test_the_browser_shows_the_desktop_and_cannot_touch_it() -> None:
    async def story() -> None:
        async with LocalDesktop(SMALL) as desktop, watching(desktop) as url:
            await desktop.launch(("mousepad",))
            await desktop.wait_for(WindowShown(app="mousepad"))
            colours = await screen_colours(desktop, [(20, 400), (600, 20), (1100, 700), (600, 780)])
            assert len({tuple(colour) for colour in colours.values()}) >= 3, "places that tell pictures apart"
            before = await pointer(desktop)

            def watch() -> None:
                # The page is told to send input: it is the desktop's side that must refuse it.
                with browser(WIDTH, HEIGHT) as page:
                    look(page, url.replace("view_only=1", "view_only=0"), colours)
                    page.click(333, 222)
                    page.type("x")
                    page.value("new Promise(done => setTimeout(done, 500))")

            await asyncio.to_thread(watch)
            assert await pointer(desktop) == before
            assert not any(window.title.startswith("*") for window in await desktop.windows()), "nothing was typed"

    asyncio.run(story())


@pytest.mark.full
def test_with_control_mouse_and_keyboard_get_through_and_a_reset_is_followed() -> None:
    async def story() -> None:
        async with LocalDesktop(SMALL) as desktop, watching(desktop, control=True) as url:
            with browser(WIDTH, HEIGHT) as page:
                colours = await screen_colours(desktop, [(20, 400), (1100, 700)])
                await asyncio.to_thread(look, page, url, colours)
                await desktop.reset()
                await desktop.launch(("mousepad",))
                window = await desktop.wait_for(WindowShown(app="mousepad"))
                assert window is not None
                x, y = window.x + window.width // 2, window.y + window.height // 2
                await asyncio.to_thread(
                    eventually,
                    lambda: connected(page) and canvas_colour(page, x, y) == [255, 255, 255],
                    "the editor",
                    BROWSER_PATIENCE,
                )
                page.click(x, y)
                page.type("abc")
                await desktop.wait_for(WindowShown(title="*Untitled", app="mousepad"))
                assert await pointer(desktop) == f"x:{x} y:{y}"

    asyncio.run(story())


def websocket(port: int, path: str) -> bytes:
    """The first line of what a server answers to a websocket's handshake."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: binary\r\n\r\n".encode()
        )
        return sock.recv(4096).split(b"\r\n")[0]


@pytest.mark.full
def test_without_the_secret_nothing_is_shown_and_nothing_is_left_behind() -> None:
    async def story() -> tuple[int, str]:
        async with LocalDesktop(SMALL) as desktop:
            async with watching(desktop) as url:
                port = int(url.split(":")[2].split("/")[0])
                token = url.split("token%3D")[1]
                with pytest.raises(DesktopUnavailable, match=f"port {port}"):
                    async with watching(desktop, port=port):
                        pass
                for path in ("/websockify", "/websockify?token=", f"/websockify?token={token[:-1]}"):
                    assert b"101" not in await asyncio.to_thread(websocket, port, path)
                assert b"101" in await asyncio.to_thread(websocket, port, f"/websockify?token={token}")
                assert listens(port) == {"0100007F"}, "only the loopback"
            return port, children()

    port, left = asyncio.run(story())
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    assert "supervisor.py" in left and "websockify" not in left


@pytest.mark.full
def test_another_user_cannot_go_around_the_secret() -> None:
    async def story() -> str:
        async with LocalDesktop(SMALL) as desktop:
            viewers = Viewers(desktop, owner().uid, control=True)
            try:
                with socket.socket(socket.AF_UNIX) as stranger:
                    # As root this process is not the user who may; as anyone else it is, and is served.
                    stranger.settimeout(10)
                    await asyncio.to_thread(stranger.connect, viewers.name)
                    return (await asyncio.to_thread(stranger.recv, 12)).decode()
            finally:
                await viewers.close()

    assert asyncio.run(story()).strip() == ("" if owner().drop else "RFB 003.008")


def listens(port: int) -> set[str]:
    """The addresses, as the kernel writes them, at which something listens on a port."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {line[1].split(":")[0] for line in lines if line[3] == "0A" and line[1].endswith(f":{port:04X}")}


def children() -> str:
    words = ["ps", "-ww", "-o", "args=", "--ppid", str(os.getpid())]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_the_address_first_and_ends_cleanly(number: signal.Signals) -> None:
    words = [sys.executable, "-m", "trueline", "desktop", "watch", "--app", "mousepad", "--size", "800x600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        port = int(first.split(":")[2].split("/")[0])
        assert first.startswith("http://127.0.0.1:") and "only look" in process.stderr.readline()
        process.send_signal(number)
        out, _ = process.communicate(timeout=30)
        assert (process.returncode, out) == (0, "")
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


@pytest.mark.full
def test_a_killed_command_leaves_no_web_server() -> None:
    words = [sys.executable, "-m", "trueline", "desktop", "watch", "--size", "800x600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(":")[2].split("/")[0])
        process.kill()

    def closed() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            return True
        return False

    assert eventually(closed, "the port to close")
