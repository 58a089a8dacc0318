"""Files like those into which Xvfb draws."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PIXELS = 124
"""Where the pixels begin."""


def framebuffer_file(
    path: Path, *, width: int = 4, height: int = 3, depth: int = 24, stride: int = 16, cut: int = 0
) -> Path:
    """Write a framebuffer whose bytes count upwards."""
    header = [100, 7, 2, depth, width, height, 0, 0, 32, 0, 32, 32, stride, 4, 0xFF0000, 0xFF00, 0xFF, 8, 256, 2]
    length = stride * height
    pixels = (bytes(range(256)) * (length // 256 + 1))[:length]
    path.write_bytes(struct.pack(">25I", *header, 0, 0, 0, 0, 0) + bytes(2 * 12) + pixels[: len(pixels) - cut])
    return path


@contextmanager
def never_resting(path: Path) -> Generator[Path]:
    """A large framebuffer in one place of which something is drawn all the time."""
    framebuffer_file(path, width=4000, height=2000, stride=16000)
    stop = threading.Event()

    def scribble() -> None:
        fd = os.open(path, os.O_WRONLY)
        value = 0
        while not stop.is_set():
            value = (value + 1) % 256
            os.pwrite(fd, bytes([value]) * 4096, 200_000)
        os.close(fd)

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        yield path
    finally:
        stop.set()
        thread.join()
