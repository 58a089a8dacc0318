"""The drawing itself, with Pillow. Nothing is left on a target: its pixels are put back at the end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from trueline.actions import Point, Size
from trueline.guard.annotation.content import detail_of
from trueline.guard.annotation.layout import LayoutSizes, PictureBox, place_labels
from trueline.guard.annotation.marks import ActionMark, Sketch
from trueline.guard.annotation.style import Shape, Style

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Rgb = tuple[int, int, int]
Spot = tuple[float, float]

_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_CORNERS: dict[Shape, tuple[int, float]] = {"round": (32, 0.0), "square": (4, 45.0), "pointed": (6, 30.0)}
"""How many corners the outline has, and by how many degrees the first is turned."""
_PADDING = 3
_EDGE = 2
"""Width of a label's black and white edge."""


class _Label(NamedTuple):
    lines: list[tuple[str, str]]
    """The number, and the words after it."""
    colour: Rgb
    size: Size


def draw(picture: Image.Image, sketch: Sketch, style: Style) -> tuple[Image.Image, frozenset[int]]:
    """Return the picture with the marks on it, and the numbers of those that carry a label."""
    metrics = LayoutSizes.for_picture(Size(*picture.size))
    font = _font(metrics.font)
    groups: dict[Point, list[ActionMark]] = {}
    for mark in sketch.marks:
        groups.setdefault(mark.at, []).append(mark)
    labels = [_label(marks, style, font) for marks in groups.values()]
    hides = detail_of(picture, [trail.points for trail in sketch.trails])
    boxes = place_labels(list(groups), [label.size for label in labels], Size(*picture.size), metrics, hides)

    drawn = picture.copy()
    canvas = ImageDraw.Draw(drawn)
    for trail in sketch.trails:
        _stroke(canvas, trail.points, style.colour(trail.gesture).rgb, metrics.line)
    for at, label, box in zip(groups, labels, boxes, strict=True):
        if box is not None:
            _stroke(canvas, (at, box.nearest(at)), label.colour, 1)
    _put_back(drawn, picture, groups, _inside(style.shape, metrics))
    for at, marks in groups.items():
        _draw_outline(canvas, at, marks[-1], style, metrics)
    for label, box in zip(labels, boxes, strict=True):
        if box is not None:
            _draw_label(canvas, box, label, font)
    # Once more: lines of one mark may have crossed the target of another.
    _put_back(drawn, picture, groups, target_mask(metrics))
    labelled = (marks for marks, box in zip(groups.values(), boxes, strict=True) if box is not None)
    return drawn, frozenset(mark.number for marks in labelled for mark in marks)


def target_mask(metrics: LayoutSizes) -> Image.Image:
    """The pixels around a target that must not be drawn on: a disc, and the row through it to both sides."""
    middle = metrics.reach
    mask = Image.new("L", (2 * middle + 1, 2 * middle + 1), 0)
    canvas = ImageDraw.Draw(mask)
    near, far = middle - metrics.clear, middle + metrics.clear
    canvas.ellipse((near, near, far, far), fill=255)
    canvas.rectangle((0, middle - metrics.row, 2 * middle, middle + metrics.row), fill=255)
    return mask


def _inside(shape: Shape, metrics: LayoutSizes) -> Image.Image:
    """The inside of an outline."""
    mask = Image.new("L", (2 * metrics.reach + 1, 2 * metrics.reach + 1), 0)
    ImageDraw.Draw(mask).polygon(list(_outline(Point(metrics.reach, metrics.reach), shape, metrics)), fill=255)
    return mask


def _put_back(drawn: Image.Image, picture: Image.Image, targets: Iterable[Point], mask: Image.Image) -> None:
    for at in targets:
        left, top = at.x - mask.width // 2, at.y - mask.height // 2
        drawn.paste(picture.crop((left, top, left + mask.width, top + mask.height)), (left, top), mask)


@lru_cache(maxsize=16)
def _font(size: int) -> Font:
    return ImageFont.load_default(size)


def _extent(text: str, font: Font) -> Size:
    box = font.getbbox(text)
    return Size(math.ceil(box[2]), math.ceil(box[3]))


def _row_height(font: Font) -> int:
    return _extent("Ag(,)", font).height + 2 * _PADDING


def _label(marks: Sequence[ActionMark], style: Style, font: Font) -> _Label:
    lines = [(str(mark.number), f"{mark.label}  {style.code}") for mark in marks]
    width = max(_extent(number, font).width + _extent(words, font).width for number, words in lines)
    size = Size(width + 4 * _PADDING + 2 * _EDGE, _row_height(font) * len(lines) + 2 * _EDGE)
    return _Label(lines, style.colour(marks[-1].gesture).rgb, size)


def _draw_label(canvas: ImageDraw.ImageDraw, box: PictureBox, label: _Label, font: Font) -> None:
    canvas.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=label.colour, outline=_WHITE)
    canvas.rectangle((box.left + 1, box.top + 1, box.right - 2, box.bottom - 2), outline=_BLACK)
    left, height = box.left + _EDGE, _row_height(font)
    for row, (number, words) in enumerate(label.lines):
        top = box.top + _EDGE + row * height
        cell = _extent(number, font).width + 2 * _PADDING
        canvas.rectangle((left, top, left + cell - 1, top + height - 1), fill=_BLACK)
        canvas.text((left + _PADDING, top + _PADDING), number, fill=label.colour, font=font)
        canvas.text((left + cell + _PADDING, top + _PADDING), words, fill=_BLACK, font=font)


def _draw_outline(canvas: ImageDraw.ImageDraw, at: Point, mark: ActionMark, style: Style, metrics: LayoutSizes) -> None:
    corners = list(_outline(at, style.shape, metrics))
    sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    if not mark.certain:
        sides = list(_cut(sides))[::2]
    for colour, width in _layers(style.colour(mark.gesture).rgb, metrics.line):
        half = width / 2 - 0.5
        for a, b in sides:
            canvas.line((a, b), fill=colour, width=width)
            # Without round ends the corners would gape.
            for x, y in (a, b):
                canvas.ellipse((x - half, y - half, x + half, y + half), fill=colour)


def _outline(at: Point, shape: Shape, metrics: LayoutSizes) -> Iterator[Spot]:
    corners, turn = _CORNERS[shape]
    # The sides of the polygon, not its corners, must clear the target.
    radius = (metrics.clear + metrics.line / 2 + 3) / math.cos(math.pi / corners)
    for corner in range(corners):
        angle = math.radians(turn + 360 * corner / corners)
        yield at.x + radius * math.cos(angle), at.y + radius * math.sin(angle)


def _cut(sides: Sequence[tuple[Spot, Spot]]) -> Iterator[tuple[Spot, Spot]]:
    """Cut the sides of an outline into about two dozen pieces, for a broken line."""
    parts = max(1, 24 // len(sides))
    for (ax, ay), (bx, by) in sides:
        spots = [(ax + (bx - ax) * n / parts, ay + (by - ay) * n / parts) for n in range(parts + 1)]
        yield from pairwise(spots)


def _layers(colour: Rgb, width: int) -> Iterator[tuple[Rgb, int]]:
    """Return the layers of a line from the widest to the narrowest: an edge that shows on dark, one that shows on
    light, the colour itself.

    The edge on light is two pixels wide, because Pillow draws slanted lines up to a pixel thicker than asked.
    """
    yield _WHITE, width + 6
    yield _BLACK, width + 4
    yield colour, width


def _stroke(canvas: ImageDraw.ImageDraw, points: Sequence[Point], colour: Rgb, width: int) -> None:
    for layer, wide in _layers(colour, width):
        canvas.line(points, fill=layer, width=wide, joint="curve")
