"""A screenshot with the proposal drawn on it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from trueline.actions import Action, Point, Size
from trueline.errors import InputError
from trueline.guard.annotation.marks import ActionMark, sketch
from trueline.guard.annotation.style import Style, draw_style

MOST_PIXELS = 50_000_000


@dataclass(frozen=True)
class Annotation:
    """The picture and what was drawn on it."""

    png: bytes = field(repr=False)
    style: Style
    marks: tuple[ActionMark, ...]
    labelled: frozenset[int]
    """Numbers of the marks with a label; the others had no room for one."""
    left_out: int = 0
    """How many points were not drawn because there are too many."""


def annotate(
    screenshot: bytes,
    actions: Sequence[Action],
    *,
    seed: str,
    pointer: Point | None = None,
    screen: Size | None = None,
) -> Annotation | None:
    """Draw the points of a proposal on a screenshot; None when no action has any.

    Args:
        screenshot: The encoded picture.
        actions: The proposal's actions.
        seed: Decides how the marks look; the same seed gives the same picture.
        pointer: Where the pointer is, for actions that happen there.
        screen: The size that the coordinates are meant for, if the picture was scaled.

    Raises:
        InputError: The picture is damaged or too large.
    """
    # Imported only here: a guard that draws nothing does not pay for Pillow.
    from PIL import Image

    from trueline.guard.annotation.draw import draw

    try:
        with Image.open(io.BytesIO(screenshot), formats=("PNG", "JPEG", "WEBP")) as opened:
            size = Size(*opened.size)
            if size.width * size.height > MOST_PIXELS:
                raise InputError(f"a screenshot of {size.width}x{size.height} pixels is too large to draw on")
            plan = sketch(actions, pointer, screen or size, size)
            if not plan.marks:
                return None
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as e:
        raise InputError(f"the screenshot is damaged and cannot be drawn on ({type(e).__name__})") from None
    style = draw_style(seed)
    drawn, labelled = draw(picture, plan, style)
    out = io.BytesIO()
    # Level 1 takes a third of the time of the default for a few percent more bytes.
    drawn.save(out, "PNG", compress_level=1)
    return Annotation(out.getvalue(), style, plan.marks, labelled, plan.left_out)
