"""The panel that tells people what a guard decided."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops

from trueline.guard.annotation.caption import add_caption

ROWS = [("Blocked words", "rm -rf ~/Documents/*"), ("Rule", "delete-home: This would delete a whole folder.")]


def png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def changed(before: Image.Image, after: bytes) -> tuple[int, int, int, int]:
    box = ImageChops.difference(before, Image.open(io.BytesIO(after)).convert("RGB")).getbbox()
    assert box is not None
    return box


def busy_part(box: tuple[int, int, int, int]) -> Image.Image:
    """A plain picture of which one part is full of content."""
    picture = Image.new("RGB", (1280, 800), (40, 90, 150))
    for x in range(box[0], box[2], 16):
        picture.paste((255, 255, 255), (x, box[1], x + 8, box[3]))
    return picture


@pytest.mark.parametrize("busy", [(0, 0, 1280, 380), (0, 420, 1280, 800)])
def test_it_lies_where_there_is_nothing_to_see(busy: tuple[int, int, int, int]) -> None:
    picture = busy_part(busy)
    _, top, _, bottom = changed(picture, add_caption(png(picture), "Stopped", ROWS))
    assert bottom <= busy[1] or top >= busy[3]


@pytest.mark.parametrize("size", [(320, 200), (1280, 800), (1920, 1080)])
def test_a_long_word_stays_inside_and_is_cut_off(size: tuple[int, int]) -> None:
    picture = Image.new("RGB", size, "navy")
    long = add_caption(png(picture), "Stopped", [("Blocked words", "x" * 5000), ("Verdict", "a b " * 2000)])
    with Image.open(io.BytesIO(long)) as opened:
        assert opened.size == size
    short = changed(picture, add_caption(png(picture), "Stopped", ROWS))
    assert changed(picture, long)[3] - changed(picture, long)[1] <= max(size[1], 4 * (short[3] - short[1]))


def test_it_does_not_cover_the_whole_picture() -> None:
    picture = Image.new("RGB", (1920, 1080), "navy")
    left, top, right, bottom = changed(picture, add_caption(png(picture), "Stopped", ROWS))
    assert (right - left) * (bottom - top) < 0.3 * 1920 * 1080
