"""A PNG writer for screenshots: one pass over the pixels, no filter, the fastest deflate at hand.

Screens are flat colours and text, which a fast deflate packs as small as a general encoder does, many times sooner.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Callable, Iterable
from importlib import import_module

import numpy as np

from trueline.desktop.screen.frame import Pixels
from trueline.errors import MissingExtraError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 1
_here = threading.local()


class PngWriter:
    """Writes pictures of one size; keeps what the last one came to, for the next one is often much the same."""

    def __init__(self) -> None:
        """Take no memory yet."""
        self._lines: Pixels | None = None

    def write(self, pixels: Pixels, changed: Iterable[range] | None = None) -> bytes:
        """Return the PNG (8-bit RGB) of height x width x 4 pixels in the order blue, green, red, unused.

        `changed` are the rows in which they differ from the last ones that were written; by default all may.
        """
        height, width, _ = pixels.shape
        shape = (height, 1 + 3 * width)
        if self._lines is None or self._lines.shape != shape:
            self._lines, changed = np.empty(shape, np.uint8), None
        for rows in (range(height),) if changed is None else changed:
            _convert(pixels[rows.start : rows.stop], self._lines[rows.start : rows.stop])
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        packed = _deflate(self._lines)
        return b"".join((_SIGNATURE, *_chunk(b"IHDR", head), *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")))


def write_png(pixels: Pixels) -> bytes:
    """Return the PNG of pixels of any size; see `PngWriter`."""
    # One writer per thread: fresh memory for each picture costs a fifth of the whole time.
    if not hasattr(_here, "writer"):
        _here.writer = PngWriter()
    writer: PngWriter = _here.writer
    return writer.write(pixels)


def _convert(pixels: Pixels, lines: Pixels) -> None:
    """The rows as PNG wants them: a zero for "no filter", then red, green and blue of each pixel."""
    lines[:, 0] = 0
    for channel in range(3):
        lines[:, 1 + channel :: 3] = pixels[:, :, 2 - channel]


def _chunk(kind: bytes, data: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    return struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _deflate(rows: Pixels) -> bytes:
    try:
        # Imported by name, since the package's own types leave the argument unknown.
        compress: Callable[[memoryview, int], bytes] = import_module("isal.isal_zlib").compress
    except ImportError as error:
        raise MissingExtraError("taking screenshots", "desktop") from error
    return compress(rows.data, _LEVEL)
