"""Where labels go: inside the picture, off every target, off each other, near what they name. Pure geometry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trueline.actions import Point, Size

_ANGLES = (-90, 90, -60, -120, 60, 120, -35, -145, 35, 145, 0, 180)
"""Directions from a target, in degrees, in which a label is tried; above and below come first."""
_RINGS = 5
_GRID = 24
"""How many places are tried along each side of the picture when there is none nearby."""


class PictureBox(NamedTuple):
    """A rectangle of pixels; right and bottom are just outside."""

    left: int
    top: int
    right: int
    bottom: int

    def overlap(self, other: PictureBox) -> int:
        """How many pixels both have."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0

    def nearest(self, to: Point) -> Point:
        """The pixel of the box that is nearest to a point."""
        return Point(min(max(to.x, self.left), self.right - 1), min(max(to.y, self.top), self.bottom - 1))


def box_around(at: Point, x: int, y: int) -> PictureBox:
    """The box that reaches so many pixels from a point to each side."""
    return PictureBox(at.x - x, at.y - y, at.x + x + 1, at.y + y + 1)


@dataclass(frozen=True)
class LayoutSizes:
    """Sizes that go with the picture's."""

    clear: int
    """Radius of the disc around a target in which nothing is drawn."""
    line: int
    font: int
    gap: int
    """Gap between a target's outline and its label."""

    @staticmethod
    def for_picture(picture: Size) -> LayoutSizes:
        """Return the sizes for a picture; on small ones labels keep a readable size."""
        unit = min(picture.width, picture.height) / 360
        return LayoutSizes(
            clear=max(8, round(6 * unit)),
            line=3 if unit < 4 else 4,
            font=max(12, round(5 * unit)),
            gap=max(6, round(5 * unit)),
        )

    @property
    def reach(self) -> int:
        """Distance from a target to the outer edge of its outline."""
        return self.clear + self.line + 6

    @property
    def row(self) -> int:
        """Half the height of the row through a target that stays free on both sides, where a button has its words."""
        return round(self.clear * 0.6)

    def target(self, at: Point) -> PictureBox:
        """Return the box around all pixels of a target that stay as they are."""
        return box_around(at, self.reach, self.clear)


def place_labels(
    targets: Sequence[Point],
    sizes: Sequence[Size],
    picture: Size,
    metrics: LayoutSizes,
    hides: Callable[[PictureBox], float] = lambda _: 0.0,
) -> tuple[PictureBox | None, ...]:
    """Find a place for the label of each target; None when each would cover a target or another label.

    Args:
        targets: All points, in the picture.
        sizes: The label's size for each.
        picture: What they must stay in.
        metrics: The sizes in use.
        hides: How much of the picture's content a box would cover.
    """
    taken = [metrics.target(at) for at in targets]
    rows = [box_around(at, 4 * metrics.reach, metrics.reach) for at in targets]
    placed: list[PictureBox | None] = []

    def cost(box: PictureBox) -> float:
        return hides(box) + sum(box.overlap(row) for row in rows)

    for at, size in zip(targets, sizes, strict=True):
        box = _place(at, size, picture, metrics, taken, cost)
        placed.append(box)
        if box is not None:
            taken.append(PictureBox(box.left - 2, box.top - 2, box.right + 2, box.bottom + 2))
    return tuple(placed)


def _place(
    at: Point,
    size: Size,
    picture: Size,
    metrics: LayoutSizes,
    taken: Sequence[PictureBox],
    cost: Callable[[PictureBox], float],
) -> PictureBox | None:
    room = Size(picture.width - size.width, picture.height - size.height)
    if room.width < 0 or room.height < 0:
        return None
    for corners in (_near(at, size, metrics), _anywhere(room)):
        boxes: list[PictureBox] = []
        for corner in corners:
            left, top = min(max(corner.x, 0), room.width), min(max(corner.y, 0), room.height)
            box = PictureBox(left, top, left + size.width, top + size.height)
            if not any(box.overlap(other) for other in taken):
                boxes.append(box)
        if boxes:
            return min(boxes, key=lambda box: cost(box) + size.height * math.dist(at, box.nearest(at)))
    return None


def _near(at: Point, size: Size, metrics: LayoutSizes) -> Iterator[Point]:
    """Top left corners of places around a target; some may lie outside of the picture."""
    for ring in range(_RINGS):
        away = metrics.reach + metrics.gap * (1 + ring)
        for angle in _ANGLES:
            x, y = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            yield Point(
                at.x + round(x * (away + size.width / 2)) - size.width // 2,
                at.y + round(y * (away + size.height / 2)) - size.height // 2,
            )


def _anywhere(room: Size) -> Iterator[Point]:
    for row in range(_GRID + 1):
        for column in range(_GRID + 1):
            yield Point(room.width * column // _GRID, room.height * row // _GRID)
