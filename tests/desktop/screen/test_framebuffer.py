from __future__ import annotations

import io
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support.bare_desktop import BareDesktop, bare_desktop, eventually
from support.framebuffers import framebuffer_file as written
from support.framebuffers import never_resting
from trueline.desktop.screen import Framebuffer, ScreenError, encode

SIZE = (640, 480)
BACKGROUND, CURSOR = 2, 1 << 14
"""Attributes of a window, by X11's numbers."""


@pytest.fixture(scope="module")
def bare() -> Iterator[BareDesktop]:
    with bare_desktop(SIZE, applications=False) as desktop:
        yield desktop


def paint(display: str, colour: int, *, cursor: bool = False) -> None:
    """Fill the root window, maybe give it a cursor; the drawing stays when this client goes."""
    import_module("xcffib.xproto")
    x = import_module("xcffib").connect(display)  # by name: it has no types
    root = x.get_setup().roots[0].root
    if cursor:
        font, glyph = x.generate_id(), x.generate_id()
        x.core.OpenFont(font, len("cursor"), "cursor")
        x.core.CreateGlyphCursor(glyph, font, font, 56, 57, 65535, 65535, 65535, 0, 0, 65535)
        x.core.ChangeWindowAttributes(root, CURSOR, [glyph])
    x.core.ChangeWindowAttributes(root, BACKGROUND, [colour])
    x.core.ClearArea(False, root, 0, 0, 0, 0)
    x.core.GetInputFocus().reply()
    x.disconnect()


def test_a_picture_of_the_root_window_has_the_colour_that_was_painted(bare: BareDesktop) -> None:
    paint(bare.display, 0x123456)
    with Framebuffer(bare.framebuffer) as screen:

        def painted() -> bool:
            return bytes(screen.read().pixels[400, 600, :3]) == bytes((0x56, 0x34, 0x12))

        assert eventually(painted, "the colour")
        assert screen.size == SIZE
        frame = screen.read()
    assert not frame.torn
    with Image.open(io.BytesIO(encode(frame))) as image:
        assert (image.size, image.mode, image.getpixel((600, 400))) == (SIZE, "RGB", (0x12, 0x34, 0x56))


def test_the_cursor_is_in_the_picture(bare: BareDesktop) -> None:
    paint(bare.display, 0x000000, cursor=True)
    with Framebuffer(bare.framebuffer) as screen:
        bare.run("xdotool", "mousemove", "100", "100")

        def near(x: int, y: int) -> int:
            return int(screen.read().pixels[y - 12 : y + 12, x - 12 : x + 12, :3].any(axis=2).sum())

        assert eventually(lambda: near(100, 100), "the cursor")
        bare.run("xdotool", "mousemove", "300", "200")
        assert eventually(lambda: near(300, 200), "the cursor")
        assert near(100, 100) == 0


def test_rows_padded_in_the_file_are_not_in_the_picture(tmp_path: Path) -> None:
    with Framebuffer(written(tmp_path / "fb", width=3, stride=16)) as screen:
        pixels = screen.read().pixels
    assert pixels.shape == (3, 3, 4)
    assert pixels[1, 0].tolist() == [16, 17, 18, 19]


def test_a_frame_is_not_changed_by_later_readings(tmp_path: Path) -> None:
    path = written(tmp_path / "fb")
    with Framebuffer(path) as screen:
        first = screen.read()
        kept = first.pixels.copy()
        with path.open("r+b") as file:
            file.seek(124)
            file.write(bytes(48))
        second, third = screen.read(), screen.read()
    assert np.array_equal(first.pixels, kept)
    assert not second.pixels.any() and not third.pixels.any()


def test_a_screen_that_never_rests_is_said_to_be_torn(tmp_path: Path) -> None:
    with never_resting(tmp_path / "fb") as path, Framebuffer(path) as screen:
        assert eventually(lambda: screen.read(tries=2).torn, "a torn frame")


def test_a_file_cut_short_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    path = written(tmp_path / "fb")
    with Framebuffer(path) as screen:
        screen.read()
        os.truncate(path, 130)
        with pytest.raises(ScreenError, match="cut to 6 of 48 bytes"):
            screen.read()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "too short"), (bytes(200), "not an XWD"), (None, "No such file")],
)
def test_what_is_no_framebuffer_is_refused(tmp_path: Path, content: bytes | None, problem: str) -> None:
    path = tmp_path / "fb"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ScreenError, match=problem):
        Framebuffer(path)


def test_another_depth_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ScreenError, match="start Xvfb with a depth of 24"):
        Framebuffer(written(tmp_path / "fb", depth=16))


def test_an_absurd_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScreenError, match="a screen of"):
        Framebuffer(written(tmp_path / "fb", width=8, stride=16))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    written(tmp_path / "fb")
    (tmp_path / "link").symlink_to(tmp_path / "fb")
    with pytest.raises(ScreenError, match="cannot read"):
        Framebuffer(tmp_path / "link")
