"""Converts between a model's coordinates and the pixels of the real screen.

One rule for all: the far edge of the model's space is the far edge of the screen, values are scaled and rounded half
up, and the far edge itself becomes the last pixel. A point outside the model's space is an error, never moved inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions.types import Point

_MAX_RATIO = 200


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


@dataclass(frozen=True)
class Scale:
    """Maps a model's space onto the screen and back."""

    screen: Size
    space: tuple[float, float]
    """Extent of the model's coordinates: the declared display, (1, 1), (999, 999), a resized picture …"""
    decimals: int = 0
    """How many decimals the model writes."""

    def to_screen(self, x: float, y: float) -> Point:
        """Return the pixel; raises ValueError when the point lies outside the model's space."""
        return Point(
            _pixel(x, self.space[0], self.screen.width, "x"),
            _pixel(y, self.space[1], self.screen.height, "y"),
        )

    def from_screen(self, at: Point) -> tuple[float, float]:
        """Return the model's coordinates of a pixel; raises ValueError when it lies outside the screen."""
        return (
            _coordinate(at.x, self.space[0], self.screen.width, self.decimals, "x"),
            _coordinate(at.y, self.space[1], self.screen.height, self.decimals, "y"),
        )


def same(screen: Size) -> Scale:
    """Return the scale of a model that speaks in pixels of the real screen."""
    return Scale(screen, screen)


def relative(screen: Size) -> Scale:
    """Return the scale of a model that speaks in fractions of the screen."""
    return Scale(screen, (1.0, 1.0), decimals=4)


def smart_resize(size: Size, *, factor: int, min_pixels: int, max_pixels: int) -> Size:
    """Return the size to which Qwen-style picture processors bring a picture.

    Both sides become multiples of `factor`, the number of pixels comes between the two limits, and the shape is kept as
    far as that allows.

    Raises:
        ValueError: A side is not positive, or one is more than 200 times the other; such pictures are not accepted.
    """
    width, height = size
    if min(size) <= 0 or max(size) > _MAX_RATIO * min(size):
        raise ValueError(f"a picture of {width}x{height} cannot be resized: sides must be positive, 200:1 at most")
    wide = max(factor, round(width / factor) * factor)
    high = max(factor, round(height / factor) * factor)
    if wide * high > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        wide = max(factor, math.floor(width / shrink / factor) * factor)
        high = max(factor, math.floor(height / shrink / factor) * factor)
    elif wide * high < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        wide = math.ceil(width * grow / factor) * factor
        high = math.ceil(height * grow / factor) * factor
    return Size(wide, high)


def _pixel(value: float, extent: float, pixels: int, axis: str) -> int:
    if not 0 <= value <= extent:  # also refuses NaN
        raise ValueError(f"{axis} {value:g} is outside 0 to {extent:g}")
    return min(math.floor(value * pixels / extent + 0.5), pixels - 1)


def _coordinate(pixel: int, extent: float, pixels: int, decimals: int, axis: str) -> float:
    if not 0 <= pixel < pixels:
        raise ValueError(f"{axis} {pixel} is outside the screen of 0 to {pixels - 1}")
    value = pixel * extent / pixels
    return round(value, decimals) if decimals else math.floor(value + 0.5)
