"""One picture of the screen in memory, and what can be cut or scaled from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueline.desktop.types import DesktopError
from trueline.records.tree import Size

Pixels = NDArray[np.uint8]


class ScreenError(DesktopError):
    """The screen could not be read, or not as asked."""


class Box(NamedTuple):
    """A rectangle of the screen; right and bottom lie just outside of it."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, eq=False)
class Frame:
    """What the screen showed at one moment, with the cursor in it."""

    pixels: Pixels
    """Height x width x 4, each pixel as blue, green, red and a byte without meaning."""
    torn: bool = False
    """The screen changed while it was read, every time it was tried."""

    @property
    def size(self) -> Size:
        """Width and height."""
        return Size(self.pixels.shape[1], self.pixels.shape[0])


def crop(frame: Frame, box: Box) -> Frame:
    """Return the part of the frame inside the box; the box is cut at the edges of the frame.

    Raises:
        ScreenError: Nothing of the box lies on the frame.
    """
    width, height = frame.size
    left, top = max(box.left, 0), max(box.top, 0)
    right, bottom = min(box.right, width), min(box.bottom, height)
    if left >= right or top >= bottom:
        raise ScreenError(f"box {tuple(box)}: nothing of it lies on the {width}x{height} screen")
    return Frame(frame.pixels[top:bottom, left:right], frame.torn)


def scaled(frame: Frame, size: tuple[int, int]) -> Frame:
    """Return the frame scaled to width x height, smoothly.

    Raises:
        ScreenError: A side is not positive.
    """
    if min(size) < 1:
        raise ScreenError(f"size {size}: both sides must be at least 1")
    if tuple(frame.size) == tuple(size):
        return frame
    from PIL import Image

    # The fourth byte is scaled like a colour and stays without meaning, so no channel has to be moved.
    image = Image.fromarray(np.ascontiguousarray(frame.pixels), "RGBX")
    return Frame(np.asarray(image.resize(size, Image.Resampling.LANCZOS)), frame.torn)
