"""What can be seen of a real desktop beyond the plain screenshot: parts of it, other encodings, marks, its text."""

from __future__ import annotations

import asyncio
import io

import numpy as np
import pytest
from PIL import Image

from trueline.desktop.local import LocalDesktop
from trueline.desktop.marks import marked
from trueline.desktop.screen import Box, Encoding, ScreenError
from trueline.desktop.types import Settled, WindowShown
from trueline.records import Node, ObservationSpec
from trueline.records.text_line import TextLine
from trueline.records.tree import marks_text


def pixels(picture: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def editor(runner: asyncio.Runner, desktop: LocalDesktop) -> LocalDesktop:
    runner.run(desktop.launch(("mousepad",)))
    runner.run(desktop.wait_for(WindowShown(app="mousepad")))
    runner.run(desktop.wait_for(Settled()))
    return desktop


@pytest.mark.parametrize("encoding", ["png", "jpeg", "webp"])
def test_a_part_of_the_screen_scaled_and_encoded(
    runner: asyncio.Runner, editor: LocalDesktop, encoding: Encoding
) -> None:
    whole = pixels(runner.run(editor.picture()))
    box = Box(100, 50, 500, 350)
    part = runner.run(editor.picture(box, encoding=encoding, quality=95))
    with Image.open(io.BytesIO(part)) as image:
        assert (image.format, image.size) == (encoding.upper(), (400, 300))
    assert np.abs(pixels(part) - whole[50:350, 100:500]).mean() < (0.001 if encoding == "png" else 4)
    assert pixels(runner.run(editor.picture(box, size=(200, 150)))).shape == (150, 200, 3)


def test_a_part_outside_the_screen_is_refused(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    with pytest.raises(ScreenError, match="nothing of it lies on"):
        runner.run(editor.picture(Box(5000, 0, 5100, 100)))


def test_marks_are_the_same_whatever_the_size_of_the_screenshot(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    want = ObservationSpec(marks=True)
    whole = runner.run(editor.observe(want))
    small = runner.run(editor.observe(want.model_copy(update={"size": (256, 192)})))
    alone = runner.run(editor.observe(want.model_copy(update={"screenshot": False})))
    assert whole.marks == small.marks == alone.marks and alone.png() is None
    assert {"File", "Edit", "Help"} <= {mark.name for mark in whole.marks}
    assert marks_text(whole.marks).startswith("index\ttag\tname\ttext\n1\t")
    png = whole.png()
    assert png is not None
    seen = pixels(marked(png, whole.marks))
    menu = next(mark for mark in whole.marks if mark.name == "File")
    assert (seen[menu.position.y, menu.point.x] == (255, 0, 0)).all()


@pytest.mark.full
def test_text_is_read_from_the_screen(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    seen = runner.run(editor.observe(ObservationSpec(ocr=True, screenshot=False)))
    assert seen.text is not None and seen.png() is None
    assert "Mousepad" in seen.text and "Help" in seen.text
    assert runner.run(editor.observe(ObservationSpec())).text is None


@pytest.mark.full
def test_text_is_read_where_the_tree_says_that_it_stands(runner: asyncio.Runner, editor: LocalDesktop) -> None:
    seen = runner.run(editor.observe(ObservationSpec(ocr=True, tree=True)))
    assert seen.tree is not None
    menus = {node.name: node for node in seen.tree.root.walk() if node.role == "menu" and node.position and node.size}
    found = {line.text for line in seen.lines for menu in (menus.get(line.text),) if menu and _on(line, menu)}
    assert {"Edit", "Search", "View", "Help"} <= found


def _on(line: TextLine, node: Node) -> bool:
    assert node.position is not None and node.size is not None
    x, y = node.position.x + node.size.width // 2, node.position.y + node.size.height // 2
    return line.left <= x < line.right and line.top <= y < line.bottom
