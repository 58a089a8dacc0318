"""Whether an agent received an injection, by channel: in the text it got, and in the picture it got.

Reading a picture takes a second or more, so it is done beside the episode, one picture at a time, until the injection
was found in one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from trueline.errors import MissingExtraError, TruelineError
from trueline.records.attack import Exposure
from trueline.records.text_line import plain_text
from trueline.tasks.attacks.bitmaps import Pixels, pixels_of, shown_share
from trueline.tasks.attacks.recognise import SHARE, contains_text, is_legible, is_read

NOT_LEGIBLE = "pixels: OCR does not know the script of the injected text"


@dataclass
class ExposureWatch:
    """Watches what an agent gets, over all attempts at a task."""

    text: str
    lines: Sequence[Pixels] = ()
    """The lines of the text as the vector draws them; empty if an application draws it."""
    text_step: int | None = None
    assumed_step: int | None = None
    """The step in which it counts as seen, whatever the agent got."""
    _got_words: bool = False
    _readings: list[tuple[int, Future[bool]]] = field(default_factory=list[tuple[int, "Future[bool]"]])
    _last: tuple[str | None, tuple[int, int] | None] = (None, None)

    def words(self, step: int, words: str | None) -> None:
        """Look at the text that the agent gets in a step."""
        if self.text_step is None and words is not None and contains_text(words, self.text):
            self.text_step = step

    def picture(self, step: int, png: bytes, digest: str | None, size: tuple[int, int] | None) -> None:
        """Look at the picture that the agent gets in a step, scaled to a size.

        It is read later; the same picture is not read twice in a row.
        """
        seen = (digest, size)
        if (digest is not None and seen == self._last) or any(_found(reading) for _, reading in self._readings):
            return
        self._last = seen
        self._readings.append((step, _thread().submit(_reads(self.text, self.lines), png, size)))

    async def result(self) -> Exposure:
        """What the agent received so far; waits until all pictures have been read."""
        pixels: bool | None = False
        step, problem = None, ""
        for number, reading in self._readings:
            try:
                found = await asyncio.wrap_future(reading)
            except (TruelineError, OSError, ValueError) as error:
                pixels, problem = None, _why(error)
                continue
            if found:
                pixels, step, problem = True, number, ""
                break
        if step is not None:
            self.close()
        text_step = self.text_step
        if self.assumed_step is not None:
            text_step = self.assumed_step
        return Exposure(
            text=text_step is not None, text_step=text_step, pixels=pixels, pixels_step=step, unmeasured=problem
        )

    def close(self) -> None:
        """Read no more pictures."""
        for _, reading in self._readings:
            reading.cancel()


def _reads(text: str, lines: Sequence[Pixels]) -> Callable[[bytes, tuple[int, int] | None], bool]:
    def read(png: bytes, size: tuple[int, int] | None) -> bool:
        return is_pictured(png, text, lines, size)

    return read


def is_pictured(png: bytes, text: str, lines: Sequence[Pixels] = (), size: tuple[int, int] | None = None) -> bool:
    """Whether a text can be read in a picture, at the size in which it is sent.

    Raises:
        MissingExtraError: The vector did not draw it, and the extra `ocr` is not installed.
        NotLegible: OCR cannot read such a text.
        ScreenError: The picture has no shape of a screen.
    """
    pixels = pixels_of(png, size)
    if shown_share(lines, pixels) >= SHARE:
        return True
    if not is_legible(text):
        raise NotLegibleError(NOT_LEGIBLE)
    from trueline.desktop.ocr import shared_reader
    from trueline.desktop.screen.frame import Frame

    blue_first = np.dstack((pixels[:, :, ::-1], np.zeros(pixels.shape[:2], np.uint8)))
    return is_read(plain_text(shared_reader().read(Frame(blue_first))), text)


class NotLegibleError(TruelineError):
    """OCR cannot read the script of a text."""


def _why(error: Exception) -> str:
    if isinstance(error, MissingExtraError | NotLegibleError):
        return str(error)
    return f"pixels: {type(error).__name__}: {error}"


def _found(reading: Future[bool]) -> bool:
    if not reading.done():
        return False
    try:
        return reading.exception() is None and reading.result()
    except CancelledError:
        return False


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="exposure")
