"""The picture with its marks drawn in."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from trueline.desktop.marks import marked
from trueline.records.tree import Mark, Place, Size


def picture(width: int = 200, height: int = 100) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (0, 0, 255)).save(out, "PNG")
    return out.getvalue()


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def mark(number: int, place: tuple[int, int], size: tuple[int, int]) -> Mark:
    return Mark(number, "push-button", "OK", '""', Place(*place), Size(*size))


def test_a_mark_is_a_red_box_with_its_number_at_the_lower_left() -> None:
    seen = pixels(marked(picture(), [mark(7, (50, 20), (60, 40))]))
    assert seen.shape == (100, 200, 3)
    assert (seen[20, 50:110] == (255, 0, 0)).all() and (seen[20:60, 109] == (255, 0, 0)).all()
    assert (seen[30, 70] == (0, 0, 255)).all(), "what is inside stays to be seen"
    label = seen[48:60, 50:58]
    assert (label == 0).all(axis=2).any() and (label > 150).all(axis=2).any(), "a light number on black"


def test_marks_at_and_over_the_edges_keep_their_number_in_the_picture() -> None:
    edges = [mark(123, (195, 95), (50, 50)), mark(4, (0, 0), (3, 3)), mark(5, (500, 500), (10, 10))]
    seen = pixels(marked(picture(), edges))
    black = np.argwhere((seen == 0).all(axis=2))
    assert black[:, 1].max() == 199 and black[:, 0].max() == 99
    assert (black < 14).all(axis=1).any()


def test_without_marks_the_picture_is_the_same() -> None:
    assert np.array_equal(pixels(marked(picture(), [])), pixels(picture()))
