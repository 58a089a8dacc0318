from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from trueline.desktop.screen import Box, Encoding, Frame, ScreenError, crop, encode, scaled, write_png

PIXELS = arrays.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(4)))


def colours(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        image.load()
        return np.asarray(image.convert("RGB"))


def gradient(width: int = 200, height: int = 100) -> Frame:
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[:, :, 2] = np.linspace(0, 255, width, dtype=np.uint8)
    pixels[:, :, 0] = np.linspace(0, 255, height, dtype=np.uint8)[:, None]
    return Frame(pixels)


@given(PIXELS)
@settings(deadline=None)
def test_png_loses_nothing(pixels: np.ndarray) -> None:
    assert np.array_equal(colours(write_png(pixels)), pixels[:, :, 2::-1])


@pytest.mark.parametrize("encoding", ["png", "jpeg", "webp"])
def test_every_encoding_keeps_size_and_colours(encoding: Encoding) -> None:
    frame = gradient()
    picture = encode(frame, encoding, quality=90)
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == encoding.upper()
    difference = np.abs(colours(picture).astype(int) - frame.pixels[:, :, 2::-1])
    assert difference.mean() < (1 if encoding == "png" else 6)


def test_a_cut_frame_encodes_as_the_cut_of_the_picture() -> None:
    frame = gradient()
    part = crop(frame, Box(50, 20, 120, 70))
    assert part.size == (70, 50)
    whole = colours(encode(frame))
    assert np.array_equal(colours(encode(part)), whole[20:70, 50:120])
    assert np.abs(colours(encode(part, "jpeg", quality=95)).astype(int) - whole[20:70, 50:120]).mean() < 6


def test_a_box_over_the_edge_is_cut_and_one_outside_refused() -> None:
    frame = gradient()
    assert crop(frame, Box(-10, 90, 30, 400)).size == (30, 10)
    with pytest.raises(ScreenError, match="nothing of it lies on the 200x100 screen"):
        crop(frame, Box(200, 0, 300, 50))


def test_scaling_keeps_the_picture() -> None:
    frame = gradient()
    half = scaled(frame, (100, 50))
    assert half.size == (100, 50)
    expected = frame.pixels[:, :, :3].reshape(50, 2, 100, 2, 3).mean(axis=(1, 3))
    assert np.abs(half.pixels[:, :, :3] - expected).mean() < 2
    assert scaled(frame, (200, 100)) is frame
    with pytest.raises(ScreenError, match="at least 1"):
        scaled(frame, (0, 10))
