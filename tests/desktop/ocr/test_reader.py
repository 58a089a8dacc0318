"""Text read from pictures, without a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from trueline.desktop.ocr import Reader, TextLine, plain_text
from trueline.desktop.screen import Box, Frame
from trueline.errors import MissingExtraError


def drawn(*texts: tuple[int, int, str], size: tuple[int, int] = (640, 300)) -> Frame:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for x, y, text in texts:
        draw.text((x, y), text, "black", ImageFont.truetype("DejaVuSans.ttf", 20))
    pixels = np.asarray(image.convert("RGBA"))[:, :, [2, 1, 0, 3]]
    return Frame(np.ascontiguousarray(pixels))


def line(text: str, left: int, top: int) -> TextLine:
    return TextLine(text, Box(left, top, left + 50, top + 20), 1.0)


def test_lines_come_from_top_to_bottom_and_side_by_side_in_one_row() -> None:
    lines = [line("below", 10, 60), line("right", 300, 13), line("left", 10, 10), line("middle", 100, 8)]
    assert plain_text(lines) == "left\tmiddle\tright\nbelow"
    assert plain_text([]) == ""


def test_without_the_extra_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingExtraError, match=r"trueline\[ocr\]"):
        Reader().read(drawn((10, 10, "text")))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.full
def test_words_are_read_where_they_stand(reader: Reader) -> None:
    lines = reader.read(drawn((20, 30, "Delete account"), (20, 200, "Überweisung 1234")))
    assert [found.text for found in lines] == ["Delete account", "Überweisung 1234"]
    box = lines[1].box
    assert 10 <= box.left <= 24 and 190 <= box.top <= 206 and 215 <= box.bottom <= 235
    assert reader.read(drawn()) == ()


@pytest.mark.full
def test_the_same_picture_gives_the_same_text_whatever_was_read_before(reader: Reader) -> None:
    one, two = (
        drawn((20, 30, "Save changes?"), (400, 200, "Cancel")),
        drawn((20, 30, "Save changes?"), (400, 200, "OK")),
    )
    reader.read(one)
    assert reader.read(two) == Reader().read(two)
    assert plain_text(reader.read(one)) == "Save changes?\nCancel"


_OFFLINE = """
import sys
sys.path.insert(0, {folder!r})
from test_reader import drawn
from trueline.desktop.ocr import Reader, plain_text
print(plain_text(Reader().read(drawn((20, 30, "No network here")))))
"""


@pytest.mark.full
def test_it_needs_no_network() -> None:
    code = _OFFLINE.format(folder=str(Path(__file__).parent))
    words = ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "No network here", done.stderr
