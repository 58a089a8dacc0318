"""A PNG writer for screenshots: one pass over the pixels, no filter, the fastest deflate at hand.

Screens are flat colours and text, which a fast deflate packs as small as a general encoder does, many times sooner.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Callable
from importlib import import_module

import numpy as np

from trueline.desktop.screen.frame import Pixels
from trueline.errors import MissingExtraError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 1
_scratch = threading.local()
"""The rows of the last picture of each thread: fresh memory of that size costs a fifth of the whole time."""


def write_png(pixels: Pixels) -> bytes:
    """Return the PNG (8-bit RGB) of height x width x 4 pixels in the order blue, green, red, unused."""
    height, width, _ = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = _deflate(_scanlines(pixels))
    return b"".join((_SIGNATURE, *_chunk(b"IHDR", head), *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")))


def _scanlines(pixels: Pixels) -> Pixels:
    """The rows as PNG wants them: a zero for "no filter", then red, green and blue of each pixel."""
    height, width, _ = pixels.shape
    rows: Pixels | None = getattr(_scratch, "rows", None)
    if rows is None or rows.shape != (height, 1 + 3 * width):
        rows = _scratch.rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 0
    for channel in range(3):
        rows[:, 1 + channel :: 3] = pixels[:, :, 2 - channel]
    return rows


def _chunk(kind: bytes, data: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    return struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _deflate(rows: Pixels) -> bytes:
    try:
        # Imported by name, since the package's own types leave the argument unknown.
        compress: Callable[[memoryview, int], bytes] = import_module("isal.isal_zlib").compress
    except ImportError as error:
        raise MissingExtraError("taking screenshots", "desktop") from error
    return compress(rows.data, _LEVEL)
