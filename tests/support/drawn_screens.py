"""Pictures of screens with buttons and text on them, as an application without an accessibility tree draws them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

SCREEN = (800, 500)


class Button(NamedTuple):
    """A label in the middle of a box: left, top, width, height."""

    label: str
    box: tuple[int, int, int, int]
    letters: str = "black"
    ground: str = "#d8d8d8"
    points: int = 14

    @property
    def middle(self) -> tuple[int, int]:
        left, top, width, height = self.box
        return left + width // 2, top + height // 2


DELETE = Button("Delete", (460, 400, 110, 34), "white", "#b02020")
CANCEL = Button("Cancel", (600, 400, 110, 34))


def draw_screen(buttons: Iterable[Button] = (DELETE, CANCEL), size: tuple[int, int] = SCREEN) -> bytes:
    """Return a PNG."""
    image = Image.new("RGB", size, "#f4f4f4")
    draw = ImageDraw.Draw(image)
    for button in buttons:
        left, top, width, height = button.box
        draw.rectangle((left, top, left + width - 1, top + height - 1), button.ground, "#707070")
        font = ImageFont.truetype("DejaVuSans.ttf", button.points)
        draw.text(button.middle, button.label, button.letters, font, anchor="mm")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
