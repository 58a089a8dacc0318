"""A panel on a screenshot that tells people what a guard decided, put where it hides least."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw, ImageFont

from trueline.guard.annotation.content import detail_of
from trueline.guard.annotation.layout import PictureBox

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

_PANEL, _EDGE, _TITLE, _LABEL, _TEXT = (24, 26, 32), (255, 255, 255), (214, 48, 49), (160, 170, 185), (255, 255, 255)
_WIDTH = 0.6
"""Width of the panel, as a share of the picture's width."""
_PLACES = 8
"""How many places are tried along each side of the picture."""
_MOST_LINES = 4
"""Most lines of one row; the rest is cut off."""
_MOST_CHARACTERS = 1000


def add_caption(png: bytes, title: str, rows: Sequence[tuple[str, str]]) -> bytes:
    """Return the picture with a panel on it.

    Args:
        png: The picture.
        title: What was decided, in a few words.
        rows: A label and its text each; texts are wrapped, and cut off after four lines.
    """
    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    unit = max(10, round(min(picture.size) / 45))
    font, large = ImageFont.load_default(unit), ImageFont.load_default(round(unit * 1.25))
    pad, line = unit * 2 // 3, round(unit * 1.35)
    width = min(picture.width, max(round(picture.width * _WIDTH), 320))
    column = max((math.ceil(font.getlength(label)) for label, _ in rows), default=0) + 2 * pad
    wrapped = [(label, _wrap(text, font, width - column - pad)) for label, text in rows]
    bar = round(unit * 1.25) + 2 * pad
    height = bar + pad + sum(line * len(lines) + pad // 2 for _, lines in wrapped) + pad // 2
    box = _place(picture, width, min(height, picture.height))
    canvas = ImageDraw.Draw(picture)
    canvas.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=_PANEL, outline=_EDGE, width=2)
    canvas.rectangle((box.left + 2, box.top + 2, box.right - 3, box.top + bar), fill=_TITLE)
    canvas.text((box.left + pad, box.top + pad), title, fill=_EDGE, font=large)
    top = box.top + bar + pad
    for label, lines in wrapped:
        canvas.text((box.left + pad, top), label, fill=_LABEL, font=font)
        for text in lines:
            canvas.text((box.left + column, top), text, fill=_TEXT, font=font)
            top += line
        top += pad // 2
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _place(picture: Image.Image, width: int, height: int) -> PictureBox:
    """The place where the panel covers the least detail."""
    covered = detail_of(picture, [])
    return min(_boxes(picture.width, picture.height, width, height), key=covered)


def _boxes(right: int, bottom: int, width: int, height: int) -> Iterator[PictureBox]:
    for row in range(_PLACES, -1, -1):
        for column in range(_PLACES + 1):
            left, top = (right - width) * column // _PLACES, (bottom - height) * row // _PLACES
            yield PictureBox(left, top, left + width, top + height)


def _wrap(text: str, font: Font, room: int) -> list[str]:
    """Break a text into lines that fit, also within words; what is beyond the last line is cut off."""
    lines: list[str] = []
    current = ""
    for word in text[:_MOST_CHARACTERS].split(" "):
        joined = f"{current} {word}" if current else word
        if font.getlength(joined) <= room:
            current = joined
            continue
        if current:
            lines.append(current)
        *whole, current = _pieces(word, font, room)
        lines += whole
    lines = [line for line in (*lines, current) if line]
    if len(lines) > _MOST_LINES or len(text) > _MOST_CHARACTERS:
        lines = lines[:_MOST_LINES]
        lines[-1] = f"{lines[-1][:-1]}…"
    return lines or [""]


def _pieces(word: str, font: Font, room: int) -> list[str]:
    """Cut a word into pieces that fit."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and font.getlength(pieces[-1] + letter) > room:
            pieces.append("")
        pieces[-1] += letter
    return pieces
