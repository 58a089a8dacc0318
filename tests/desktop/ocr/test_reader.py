"""Text read from pictures, without a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from trueline.desktop.ocr.reader import MOST_STRIPS, Reader
from trueline.desktop.screen import Frame, ScreenError
from trueline.errors import MissingExtraError
from trueline.records.text_line import plain_text


def drawn(*texts: tuple[int, int, str], size: tuple[int, int] = (640, 300), font: str = "DejaVuSans.ttf") -> Frame:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for x, y, text in texts:
        draw.text((x, y), text, "black", ImageFont.truetype(font, 20))
    pixels = np.asarray(image.convert("RGBA"))[:, :, [2, 1, 0, 3]]
    return Frame(np.ascontiguousarray(pixels))


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
    found = lines[1]
    assert 10 <= found.left <= 24 and 190 <= found.top <= 206 and 215 <= found.bottom <= 235
    assert reader.read(drawn()) == ()


@pytest.mark.full
def test_the_entries_of_a_menu_bar_are_pieces_of_their_own_and_a_sentence_is_one(reader: Reader) -> None:
    bar = reader.read(drawn((20, 30, "File"), (85, 30, "Edit"), (150, 30, "Delete"), (245, 30, "Help")))
    assert plain_text(bar) == "File\tEdit\tDelete\tHelp"
    delete = next(line for line in bar if line.text == "Delete")
    assert 130 <= delete.left <= 155 and 210 <= delete.right <= 240
    sentence = "Do not delete this file before you send it"
    for font in ("DejaVuSans.ttf", "DejaVuSansMono.ttf"):
        frame = drawn((20, 30, sentence), font=font)
        assert [line.text for line in reader.read(frame)] == [sentence]


@pytest.mark.full
def test_a_screen_full_of_tiny_texts_takes_no_more_than_so_many(reader: Reader) -> None:
    dots = [(x, y, "ab") for x in range(4, 1900, 60) for y in range(4, 1070, 40)]
    frame = drawn(*dots, (700, 500, "Delete"), size=(1920, 1080))
    assert len(dots) > MOST_STRIPS >= len(reader.read(frame)) > 0


@pytest.mark.full
@pytest.mark.parametrize("size", [(1, 1), (16, 12), (90, 700)])
def test_a_picture_without_room_for_text_has_none(reader: Reader, size: tuple[int, int]) -> None:
    assert reader.read(drawn(size=size)) == ()


@pytest.mark.parametrize("size", [(3, 700), (900, 100)])
def test_a_thin_picture_is_refused_because_it_would_be_made_endless(size: tuple[int, int]) -> None:
    with pytest.raises(ScreenError, match=f"{size[0]}x{size[1]} pixels"):
        Reader().read(drawn(size=size))


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
from trueline.desktop.ocr.reader import Reader
from trueline.records.text_line import plain_text
print(plain_text(Reader().read(drawn((20, 30, "No network here")))))
"""


@pytest.mark.full
def test_it_needs_no_network() -> None:
    code = _OFFLINE.format(folder=str(Path(__file__).parent))
    words = ["unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "No network here", done.stderr
