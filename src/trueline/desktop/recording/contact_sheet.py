"""A contact sheet: moments of a recording side by side, each with its time."""

from __future__ import annotations

import io
import math
import os
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from trueline.desktop.recording.matroska import StoredFrame, read_frame_file, read_picture
from trueline.errors import InputError

_MOST = 16
_WIDTH, _GAP, _LABEL = 480, 8, 24
_PAPER, _INK = (24, 26, 30), (225, 228, 232)


def contact_sheet(frames: Path, target: Path) -> None:
    """Write a PNG that shows up to sixteen pictures of a recording, the first and the last among them.

    Raises:
        InputError: Not a file of frames, one without a picture, or `target` cannot be written.
    """
    reel = read_frame_file(frames)
    chosen = evenly_spaced(reel.pictures, _MOST)
    if not chosen:
        raise InputError(f"{frames}: contains no pictures")
    columns = math.ceil(math.sqrt(len(chosen)))
    with Image.open(io.BytesIO(read_picture(frames, chosen[0]))) as first:
        height = max(1, round(_WIDTH * first.height / first.width))
    cell_width, cell_height = _WIDTH + _GAP, height + _LABEL + _GAP
    rows = math.ceil(len(chosen) / columns)
    sheet = Image.new("RGB", (columns * cell_width + _GAP, rows * cell_height + _GAP), _PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for number, kept in enumerate(chosen):
        left = _GAP + number % columns * cell_width
        top = _GAP + number // columns * cell_height
        with Image.open(io.BytesIO(read_picture(frames, kept))) as picture:
            sheet.paste(picture.convert("RGB").resize((_WIDTH, height), Image.Resampling.BOX), (left, top + _LABEL))
        draw.text((left, top), format_time(kept.time), _INK, font)
    try:
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            sheet.save(file, "PNG")
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from error


def evenly_spaced(pictures: tuple[StoredFrame, ...], most: int) -> tuple[StoredFrame, ...]:
    """Return at most `most` pictures, evenly spaced by their number."""
    if len(pictures) <= most:
        return pictures
    return tuple(pictures[round(i * (len(pictures) - 1) / (most - 1))] for i in range(most))


def format_time(seconds: float) -> str:
    """Seconds as minutes, seconds and tenths: `2:05.3`."""
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"
