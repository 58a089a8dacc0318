"""Screens from outside: read safely or refused."""

from __future__ import annotations

import struct
import zlib

import pytest

from support.guarding import TREE, png
from trueline.errors import InputError
from trueline.guard.incoming import read_observation
from trueline.guard.incoming.screen import read_base64, read_screenshot


def test_a_png_stays_as_it_is_and_gives_the_screens_size() -> None:
    data = png(300, 200)
    observation = read_observation(data, tree=TREE, text="seen")
    assert observation.screenshot == data
    assert observation.screen == (300, 200)
    assert observation.tree is not None and observation.text == "seen"


@pytest.mark.parametrize("format", ["JPEG", "WEBP"])
def test_other_pictures_become_png(format: str) -> None:
    data, size = read_screenshot(png(30, 20, format=format))
    assert data.startswith(b"\x89PNG") and size == (30, 20)


def test_a_screen_of_its_own_size_wins_over_the_pictures() -> None:
    assert read_observation(png(30, 20), screen=(300, 200)).screen == (300, 200)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(width: int, height: int) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "data",
    [b"", b"GIF89a", b"not a picture", png()[:40], png()[:70], bomb(7000, 7000), bomb(10_000, 10_000), bomb(60_000, 9)],
)
def test_damaged_and_oversized_pictures_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="screenshot"):
        read_screenshot(data)


@pytest.mark.parametrize(
    "tree", ["<a", '<!DOCTYPE x [<!ENTITY y "z">]><x>&y;</x>', "<a>" * 1000, "<a>" + " " * 8_000_001 + "</a>"]
)
def test_hostile_trees_are_refused(tree: str) -> None:
    with pytest.raises(InputError, match="tree"):
        read_observation(tree=tree)


def test_base64_is_strict_and_may_stand_in_a_data_url() -> None:
    assert read_base64("aGk=") == b"hi"
    assert read_base64("data:image/png;base64,aGk=") == b"hi"
    for text in ("", "aGk", "a b=", "ä", "data:image/png,aGk*", "data:image/png;base64,"):
        with pytest.raises(InputError, match="must be base64"):
            read_base64(text)
