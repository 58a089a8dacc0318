"""Measures how much detail a part of a picture has, so that labels go where there is little."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from trueline.actions import Point
from trueline.guard.annotation.layout import PictureBox

_CELL = 4


def detail_of(picture: Image.Image, lines: Sequence[Sequence[Point]]) -> Callable[[PictureBox], float]:
    """Return a function that says how much of the picture's content a box covers.

    Content is where neighbouring pixels differ; lines that are going to be drawn count too. The unit is a pixel of
    full contrast.
    """
    grey = picture.convert("L").reduce(_CELL)
    level = np.asarray(grey, dtype=np.float64)
    busy = np.zeros_like(level)
    busy[:, 1:] += np.abs(np.diff(level, axis=1))
    busy[1:, :] += np.abs(np.diff(level, axis=0))
    drawn = Image.new("L", grey.size, 0)
    canvas = ImageDraw.Draw(drawn)
    for line in lines:
        canvas.line([(x / _CELL, y / _CELL) for x, y in line], fill=255, width=3)
    busy = np.minimum(np.maximum(busy, np.asarray(drawn)) * (_CELL**2 / 64), _CELL**2)
    sums = np.zeros((busy.shape[0] + 1, busy.shape[1] + 1))
    sums[1:, 1:] = busy.cumsum(axis=0).cumsum(axis=1)

    def covered(box: PictureBox) -> float:
        left, top = box.left // _CELL, box.top // _CELL
        right, bottom = -(-box.right // _CELL), -(-box.bottom // _CELL)
        return float(sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left])

    return covered
