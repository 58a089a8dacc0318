"""Looks at the screen a few times a second and keeps every picture that differs from the last one."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from trueline.desktop.recording import matroska
from trueline.desktop.screen import Framebuffer, ScreenError, write_png
from trueline.desktop.screen.frame import Pixels
from trueline.desktop.types import DesktopLost
from trueline.errors import InputError, TruelineError
from trueline.records.tree import Size

DISK_LIMIT = 1 << 30
"""Bytes of frames; pictures beyond them are not kept, the time still counts."""
_HEARTBEAT = 5.0
"""Seconds after which a still screen is noted, so that a killed recording is nearly as long as it was."""


class ScreenRecorder:
    """Records in its own thread from `start` to `stop`, independent of the rest of the program.

    It survives the desktop it looks at: while there is none it goes on waiting, after a reset it goes on recording.
    """

    def __init__(
        self,
        screen: Callable[[], Path],
        frames: Path,
        fps: float,
        disk_limit: int = DISK_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set it up. `screen` returns the current framebuffer file, or raises DesktopLost; `clock` times the pictures.

        Raises:
            InputError: `frames` cannot be made.
        """
        self.frames = _new_file(frames)
        self.note = ""
        """Why pictures are missing, once some are."""
        self._screen = screen
        self._period = 1 / fps
        self._disk_limit = disk_limit
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)

    def start(self) -> None:
        """Begin; the first picture is kept at once."""
        self._thread.start()

    def stop(self) -> None:
        """End after the look in progress; the file is then complete."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        began = self._clock()
        looking = _Looking(self._screen)
        with ExitStack() as closing:
            closing.callback(looking.close)
            try:
                file = closing.enter_context(self.frames.open("r+b", buffering=0))
                self._record(looking, _Film(file.write, self._disk_limit), began)
            except OSError as error:
                self.note = f"{self.frames}: recording stopped: {error.strerror}"
            except TruelineError as error:
                self.note = f"nothing was recorded: {error}"

    def _record(self, looking: _Looking, film: _Film, began: float) -> None:
        while True:
            ended = self._stop.is_set()
            pixels = looking.look()
            film.take(self._clock() - began, pixels, end=ended)
            if film.full and not self.note:
                self.note = f"{self.frames}: {self._disk_limit >> 20} MiB of frames reached; later pictures are missing"
            if ended:
                return
            # To the next beat counted from the beginning: slow looks neither add up nor are made up for.
            self._stop.wait(self._period - (self._clock() - began) % self._period)


class _Looking:
    """The current screen, whichever desktop shows it."""

    def __init__(self, screen: Callable[[], Path]) -> None:
        self._path = screen
        self._open: Framebuffer | None = None
        self._rows: Pixels | None = None

    def look(self) -> Pixels | None:
        """The pixels when they differ from the last ones (valid until the next look), else `None`."""
        try:
            screen, rows = self._ready()
            if not screen.refresh(rows):
                return None
            width, height = screen.size
            return rows[:, : width * 4].reshape(height, width, 4)
        except (DesktopLost, ScreenError):
            self.close()
            return None

    def _ready(self) -> tuple[Framebuffer, Pixels]:
        path = self._path()
        if self._open is None or self._open.path != path:
            self.close()
            self._open = Framebuffer(path)
        shape = (self._open.size.height, self._open.layout.stride)
        if self._rows is None or self._rows.shape != shape:
            self._rows = np.empty(shape, np.uint8)
            self._open.read_into(self._rows)
            self._rows[0] ^= 255  # unlike anything there, so that the first look finds a change
        return self._open, self._rows

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


class _Film:
    """Writes what is kept, within a limit of bytes."""

    def __init__(self, write: Callable[[bytes], int | None], limit: int) -> None:
        self._write = write
        self._room = limit
        self._size: Size | None = None
        self._said = 0.0
        self.full = False

    def take(self, now: float, pixels: Pixels | None, *, end: bool) -> None:
        """Keep a picture if there is one; otherwise note now and then, and at the end, that time went on."""
        if pixels is not None:
            size = Size(pixels.shape[1], pixels.shape[0])
            if self._size is None:
                self._size = size
                self._put(matroska.head(size))
                now = 0.0
            # A film has one size; a desktop that comes back with another one is not filmed.
            if size == self._size and not self.full:
                data = matroska.cluster(now, write_png(pixels))
                if len(data) <= self._room:
                    self._put(data)
                    self._said = now
                else:
                    self.full = True
        if self._size is not None and now > self._said and (end or now - self._said >= _HEARTBEAT):
            self._put(matroska.cluster(now))
            self._said = now

    def _put(self, data: bytes) -> None:
        written = self._write(data)
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._room -= len(data)


def _new_file(path: Path) -> Path:
    """Make a file that was not there: frames that an earlier recording left are never overwritten."""
    for number in range(1, 1000):
        free = path if number == 1 else path.with_name(f"{path.name.removesuffix('.mkv')}-{number}.mkv")
        try:
            os.close(os.open(free, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
            return free
        except FileExistsError:
            continue
        except OSError as error:
            raise InputError(f"{path}: a recording cannot be written there: {error.strerror}") from error
    raise InputError(f"{path.parent}: too many leftover recordings; turn them into videos or remove them")
