"""Reading the file into which Xvfb draws its screen (`-fbdir`), software cursor included.

The file belongs to the sandbox, so its content and its length may change at any moment. It is read with `pread`, not
mapped: touching a map of a file that was cut kills the process that touches it, here the host of every desktop.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from trueline.desktop.screen.frame import Frame, Pixels, ScreenError
from trueline.records.tree import Size

TRIES = 6
"""How often a frame is read again until two readings agree."""

_HEADER = struct.Struct(">25I")
_VERSION = 7
_Z_PIXMAP = 2
_LSB_FIRST = 0
_COLOUR_BYTES = 12
_MAX_SIDE = 32767
_BAND = 32
"""Rows that are read again at a time: few enough to stay in the processor's cache."""


@dataclass(frozen=True)
class Layout:
    """Where the pixels stand in the file."""

    size: Size
    offset: int
    stride: int
    """Bytes from one row to the next."""


def read_layout(header: bytes) -> Layout:
    """Read the XWD header that Xvfb writes. Raises ValueError when it is not one of a 24-bit true-colour screen."""
    if len(header) < _HEADER.size:
        raise ValueError("too short for an XWD header")
    (
        header_size, version, pixmap_format, depth, width, height, _, byte_order, _, _, _, bits_per_pixel, stride,
        _, red, green, blue, _, _, colours, *_,
    ) = _HEADER.unpack_from(header)  # fmt: skip
    if (version, pixmap_format, byte_order) != (_VERSION, _Z_PIXMAP, _LSB_FIRST):
        raise ValueError("not an XWD file of this byte order")
    if (depth, bits_per_pixel, red, green, blue) != (24, 32, 0xFF0000, 0xFF00, 0xFF):
        raise ValueError(f"depth {depth} at {bits_per_pixel} bits; start Xvfb with a depth of 24")
    if not (0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE and width * 4 <= stride <= _MAX_SIDE * 8):
        raise ValueError(f"a screen of {width}x{height} with rows of {stride} bytes")
    return Layout(Size(width, height), header_size + colours * _COLOUR_BYTES, stride)


class Framebuffer:
    """An open framebuffer. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Open `<fbdir>/Xvfb_screen0`.

        Raises:
            ScreenError: There is no such file, or it is not a screen that can be read.
        """
        self.path = path
        self._fd = -1
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            self.layout = read_layout(os.pread(self._fd, _HEADER.size, 0))
        except OSError as error:
            raise ScreenError(f"{path}: cannot read the screen: {error.strerror}") from error
        except ValueError as error:
            self.close()
            raise ScreenError(f"{path}: not a framebuffer of Xvfb: {error}") from error
        self._fresh: dict[int, bytearray] = {}
        """Memory for rows that are read again, by its size."""

    @property
    def size(self) -> Size:
        """The screen's width and height."""
        return self.layout.size

    def rows(self) -> Pixels:
        """Memory for one reading; fresh memory of that size for each costs a fifth of the time."""
        return np.empty((self.size.height, self.layout.stride), np.uint8)

    def read(self, tries: int = TRIES) -> Frame:
        """Read the whole screen; it is read again while it changes, at most `tries` times.

        Raises:
            ScreenError: The file was cut or closed.
        """
        rows = self.rows()
        self.read_into(rows)
        torn = True
        while torn and tries > 0:
            torn = bool(self.refresh(rows))
            tries -= 1
        return self.frame(rows, torn=torn)

    def frame(self, rows: Pixels, *, torn: bool) -> Frame:
        """The frame that was read into these rows."""
        width, height = self.size
        pixels = rows[:, : width * 4].reshape(height, width, 4)
        pixels.flags.writeable = False
        return Frame(pixels, torn)

    def refresh(self, rows: Pixels) -> list[range]:
        """Bring an earlier reading up to date; says which rows had changed meanwhile."""
        changed: list[range] = []
        for top in range(0, len(rows), _BAND):
            known = rows[top : top + _BAND]
            fresh = self.differing(known, top)
            if fresh is not None:
                known[:] = fresh
                changed.append(range(top, top + len(known)))
        return changed

    def differing(self, known: Pixels, top: int) -> Pixels | None:
        """What stands in the place of known rows, the first of which is `top`, or `None` when they are the same.

        What is returned is gone with the next call.

        Raises:
            ScreenError: The file was cut or closed.
        """
        fresh = self._fresh.get(known.nbytes)
        if fresh is None:
            fresh = self._fresh[known.nbytes] = bytearray(known.nbytes)
        self._fill(memoryview(fresh), top)
        # A bytearray is compared as one block of memory, an array number by number, which takes twice as long.
        same = bytearray.__eq__(fresh, known.data)
        return None if same else np.frombuffer(fresh, np.uint8).reshape(known.shape)

    def read_into(self, rows: Pixels) -> None:
        """Read all rows as they stand in the file, once.

        Raises:
            ScreenError: The file was cut or closed.
        """
        self._fill(rows.data.cast("B"), 0)

    def _fill(self, memory: memoryview, top: int) -> None:
        try:
            got = os.preadv(self._fd, [memory], self.layout.offset + top * self.layout.stride)
        except OSError as error:
            raise ScreenError(f"{self.path}: cannot read the screen: {error.strerror}") from error
        if got != memory.nbytes:
            raise ScreenError(f"{self.path}: cut to {got} of {memory.nbytes} bytes of pixels; the X server is gone")

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
