"""A frame as the bytes of a picture file."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np

from trueline.desktop.screen.frame import Frame
from trueline.desktop.screen.png import write_png

Encoding = Literal["png", "jpeg", "webp"]


def encode(frame: Frame, encoding: Encoding = "png", *, quality: int = 85) -> bytes:
    """Return the frame as a PNG (lossless), JPEG or WebP of the given quality (1 to 100)."""
    if encoding == "png":
        return write_png(frame.pixels)
    from PIL import Image

    pixels = np.ascontiguousarray(frame.pixels)
    width, height = frame.size
    image = Image.frombuffer("RGB", (width, height), pixels, "raw", "BGRX", 0, 1)
    out = io.BytesIO()
    image.save(out, encoding.upper(), quality=quality)
    return out.getvalue()
