"""Set-of-marks: the screenshot with its numbered elements drawn in, as agents of that observation type see it."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFont

from trueline.records.tree import Mark

_BOX, _PAPER, _INK = (255, 0, 0), (0, 0, 0), (255, 255, 255)
_FONT_SIZE = 13


def marked(screenshot: bytes, marks: Iterable[Mark]) -> bytes:
    """Draw the marks that are to be drawn: a red box, and the number in white on black at its lower left.

    Numbers stay inside the picture.

    Args:
        screenshot: A PNG of the screen in its own size.
        marks: As `trueline.records.tree.marks` numbers them; `marks_text` is the list that goes with the picture.
    """
    with Image.open(io.BytesIO(screenshot)) as opened:
        image = opened.convert("RGB")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(_FONT_SIZE)
    for mark in marks:
        if not mark.drawn:
            continue
        left, top = mark.position
        right, bottom = left + mark.size.width - 1, top + mark.size.height - 1
        draw.rectangle((left, top, right, bottom), outline=_BOX)
        number = str(mark.number)
        width, height = int(draw.textlength(number, font)) + 2, _FONT_SIZE
        x = max(0, min(left, image.width - width))
        y = max(0, min(bottom, image.height - 1) - height + 1)
        draw.rectangle((x, y, x + width - 1, y + height - 1), fill=_PAPER)
        draw.text((x + 1, y + height // 2), number, _INK, font, anchor="lm")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()
