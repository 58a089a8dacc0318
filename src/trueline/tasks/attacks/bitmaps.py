"""A text drawn as a picture, and where such a picture is found on a screen.

The lines of the picture are looked for one by one, pixel by pixel, so one that is cut off or covered still counts with
the lines that are there. A scaled screen does not have them; OCR must read that.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueline.tasks.errors import SetupError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Pixels = NDArray[np.uint8]
_FONT, _POINTS = "DejaVuSans.ttf", 20
_MARGIN, _GAP = 12, 10
_MOST_LINES = 4000
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})


@dataclass(frozen=True, eq=False)
class Bitmap:
    """A text as a picture."""

    png: bytes
    lines: tuple[Pixels, ...]
    """Each line of the text, cut tight: height x width x 3, red, green, blue."""


@lru_cache(maxsize=8)
def draw_text(text: str, width: int = 640, *, metadata: str = "") -> Bitmap:
    """Draw a text in black on white.

    Args:
        text: What to draw; a line break begins a line.
        width: Of the picture, in pixels.
        metadata: A comment inside the file that nobody sees.

    Raises:
        SetupError: It cannot be drawn as it is.
    """
    from PIL import Image, ImageDraw
    from PIL.PngImagePlugin import PngInfo

    font = _font()
    _require_drawable(text, font)
    rows = [row for line in text.splitlines() for row in _wrapped(line, font, width - 2 * _MARGIN)]
    if len(rows) > _MOST_LINES:
        raise SetupError(f"a picture holds {_MOST_LINES} lines of text; this text has {len(rows)}: make it shorter")
    step = _POINTS + _GAP
    picture = Image.new("RGB", (width, 2 * _MARGIN + step * len(rows)), "white")
    draw = ImageDraw.Draw(picture)
    for number, row in enumerate(rows):
        draw.text((_MARGIN, _MARGIN + number * step), row, "black", font)
    info = PngInfo()
    if metadata:
        info.add_text("Comment", metadata)
    out = io.BytesIO()
    picture.save(out, "PNG", pnginfo=info)
    pixels = np.asarray(picture)
    bands = (pixels[_MARGIN + n * step : _MARGIN + (n + 1) * step] for n in range(len(rows)))
    return Bitmap(out.getvalue(), tuple(_tight(band) for band in bands if band.min() < 255))


def shown_share(lines: Sequence[Pixels], screen: Pixels) -> float:
    """The share of lines that are on a screen (height x width x 3), pixel by pixel."""
    return sum(_contains(screen, line) for line in lines) / len(lines) if lines else 0.0


def pixels_of(png: bytes, size: tuple[int, int] | None = None) -> Pixels:
    """Decode a screenshot, scaled to the size in which it is sent."""
    from PIL import Image

    with Image.open(io.BytesIO(png), formats=("PNG",)) as opened:
        picture = opened.convert("RGB")
        if size is not None and picture.size != tuple(size):
            picture = picture.resize(size, Image.Resampling.LANCZOS)
        return np.asarray(picture)


def _contains(screen: Pixels, line: Pixels) -> bool:
    height, width, _ = line.shape
    if height > screen.shape[0] or width > screen.shape[1]:
        return False
    # The row with the most ink is looked for as bytes; where it stands, all rows are compared.
    row = int((line < 128).any(axis=2).sum(axis=1).argmax())
    needle = line[row].tobytes()
    for top in range(screen.shape[0] - height + 1):
        hay, at = screen[top + row].tobytes(), -1
        while (at := hay.find(needle, at + 1)) >= 0:
            left = at // 3
            if at % 3 == 0 and np.array_equal(screen[top : top + height, left : left + width], line):
                return True
    return False


def _tight(band: Pixels) -> Pixels:
    ink = band.min(axis=2) < 255
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return np.ascontiguousarray(band[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


@cache
def _font() -> FreeTypeFont:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(_FONT, _POINTS, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise SetupError(f"text as a picture needs the font {_FONT} (Debian package fonts-dejavu-core)") from error


def _require_drawable(text: str, font: FreeTypeFont) -> None:
    missing = _glyph("\U0010fffe", font)
    for letter in dict.fromkeys(text):
        if letter.isspace():
            continue
        shown = f"U+{ord(letter):04X}"
        if unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT:
            raise SetupError(f"a picture cannot hold right-to-left text ({shown}): use another vector")
        if not unicodedata.category(letter).startswith("C") and _glyph(letter, font) == missing:
            raise SetupError(f"the font {_FONT} of pictures lacks {shown}: use another vector")


def _glyph(letter: str, font: FreeTypeFont) -> bytes:
    from PIL import Image, ImageDraw

    picture = Image.new("L", (3 * _POINTS, 3 * _POINTS))
    ImageDraw.Draw(picture).text((_POINTS, _POINTS), letter, 255, font)
    return picture.tobytes()


def _wrapped(line: str, font: FreeTypeFont, width: int) -> list[str]:
    """The line in rows; a word that is too long for one is broken."""
    rows, row = list[str](), ""
    for word in line.split():
        candidate = f"{row} {word}" if row else word
        if font.getlength(candidate) <= width:
            row = candidate
            continue
        if row:
            rows.append(row)
        while (fits := _fitting(word, font, width)) < len(word):
            rows.append(word[:fits])
            word = word[fits:]
        row = word
    return [*rows, row]


def _fitting(word: str, font: FreeTypeFont, width: int) -> int:
    """How many of a word's letters fit into a row; at least one."""
    least, most = 1, min(len(word), width)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if font.getlength(word[:middle]) <= width else (least, middle - 1)
    return least
