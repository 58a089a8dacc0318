"""Text from pixels by RapidOCR, whose models lie inside its package: nothing is fetched.

Finding where text stands takes one pass over the picture, reading a strip takes a pass over that strip. Strips are
remembered by their pixels, so a screen that changed a little is read only where it changed, and the same picture always
gives the same text, whatever was read before it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueline.desktop.ocr.pieces import Piece, WordPlaces, pieces
from trueline.desktop.screen.frame import Box, Frame, Pixels, ScreenError
from trueline.errors import MissingExtraError
from trueline.records.text_line import TextLine

_LEAST_SCORE = 0.5
_MARGIN = 2
"""Pixels around a strip; letters touch the box that was found for them."""
_SCREENS, _STRIPS = 16, 4096
MOST_STRIPS = 400
"""Most strips that are read of one screen, the largest first: more, smaller text would take minutes."""
MOST_STRETCHED = 8
"""The largest ratio of a picture's sides: RapidOCR enlarges the shorter one, so a thin picture would become huge."""
LONGEST = 500
"""Most characters of one piece."""
_PARAMS: dict[str, object] = {
    "Global.log_level": "critical",
    # More threads wait for each other longer than they gain on a machine that also runs desktops.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
}
T = TypeVar("T")


class _Found(Protocol):
    boxes: NDArray[np.float32] | None


class _Text(Protocol):
    txts: Sequence[str] | None
    scores: Sequence[float] | None
    word_results: Sequence[WordPlaces] | None


class _Engine(Protocol):
    """RapidOCR, as far as it is used here."""

    def __call__(
        self, picture: Pixels, *, use_det: bool, use_cls: bool, use_rec: bool, return_word_box: bool
    ) -> _Found | _Text: ...


class _Strip(NamedTuple):
    """What was read from one strip of the screen."""

    pieces: tuple[Piece, ...]
    score: float


class Reader:
    """Reads frames, one at a time; the models are loaded at the first."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._engine: _Engine | None = None
        self._lock = threading.Lock()
        self._screens = _Recent[tuple[TextLine, ...]](_SCREENS)
        self._strips = _Recent[_Strip](_STRIPS)

    def prepare(self) -> None:
        """Load the models now.

        Raises:
            MissingExtraError: The extra is not installed.
        """
        with self._lock:
            self._ready()

    def read(self, frame: Frame) -> tuple[TextLine, ...]:
        """The text on a frame, from top to bottom.

        Raises:
            MissingExtraError: The extra is not installed.
            ScreenError: The frame is so long or so wide that it is not a screen.
        """
        width, height = frame.size
        if max(width, height) > MOST_STRETCHED * min(width, height):
            raise ScreenError(f"{width}x{height} pixels: text is read only up to a ratio of {MOST_STRETCHED}:1")
        pixels = np.ascontiguousarray(frame.pixels[:, :, :3])
        key = _digest(pixels)
        with self._lock:
            found = self._screens.get(key)
            if found is None:
                found = tuple(line for box in self._find(pixels) for line in self._lines(pixels, box))
                self._screens.put(key, found)
            return found

    def _find(self, pixels: Pixels) -> list[Box]:
        found = self._ready()(pixels, use_det=True, use_cls=False, use_rec=False, return_word_box=False)
        corners = getattr(found, "boxes", None)
        if corners is None:
            return []
        height, width, _ = pixels.shape
        boxes: list[Box] = []
        for (left, top), (right, bottom) in zip(corners.min(axis=1), corners.max(axis=1), strict=True):
            box = Box(max(int(left) - _MARGIN, 0), max(int(top) - _MARGIN, 0),
                      min(int(right) + _MARGIN, width), min(int(bottom) + _MARGIN, height))  # fmt: skip
            if box.left < box.right and box.top < box.bottom:
                boxes.append(box)
        largest = sorted(boxes, key=lambda box: box.bottom - box.top, reverse=True)[:MOST_STRIPS]
        return sorted(largest, key=lambda box: (box.top, box.left))

    def _lines(self, pixels: Pixels, box: Box) -> Iterator[TextLine]:
        strip = self._strip(np.ascontiguousarray(pixels[box.top : box.bottom, box.left : box.right]))
        if strip.score >= _LEAST_SCORE:
            for text, left, right in strip.pieces:
                if text.strip():
                    yield TextLine(text[:LONGEST], box.left + left, box.top, box.left + right, box.bottom, strip.score)

    def _strip(self, pixels: Pixels) -> _Strip:
        key = _digest(pixels)
        known = self._strips.get(key)
        if known is None:
            read = self._ready()(pixels, use_det=False, use_cls=False, use_rec=True, return_word_box=True)
            texts, scores = getattr(read, "txts", None), getattr(read, "scores", None)
            words: Sequence[WordPlaces] | None = getattr(read, "word_results", None)
            known = _Strip((), 0.0)
            if texts and scores:
                known = _Strip(pieces(str(texts[0]), words[0] if words else None, pixels), float(scores[0]))
            self._strips.put(key, known)
        return known

    def _ready(self) -> _Engine:
        if self._engine is None:
            self._engine = _load()
        return self._engine


def _load() -> _Engine:
    try:
        package = import_module("rapidocr")
    except ImportError as error:
        raise MissingExtraError("reading text from pictures", "ocr") from error
    models = Path(str(package.__file__)).parent / "models"
    if not all(any(models.glob(f"*_{part}_*.onnx")) for part in ("det", "rec")):
        # It would fetch them from the network.
        raise MissingExtraError("reading text from pictures (rapidocr with its models inside)", "ocr")
    return package.RapidOCR(params=dict(_PARAMS))


class _Recent(Generic[T]):
    """A least-recently-used cache."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[bytes, T] = OrderedDict()

    def get(self, key: bytes) -> T | None:
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def put(self, key: bytes, value: T) -> None:
        self._known[key] = value
        if len(self._known) > self._most:
            self._known.popitem(last=False)


def _digest(pixels: Pixels) -> bytes:
    return hashlib.blake2b(pixels.data, digest_size=16, key=str(pixels.shape).encode()).digest()


@cache
def shared_reader() -> Reader:
    """The one reader of this process: its models are large, and desktops share what it remembers."""
    return Reader()
