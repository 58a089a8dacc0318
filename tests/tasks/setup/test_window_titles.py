"""Which window a step means: titles of OSWorld's applications fit those that take their place here."""

from __future__ import annotations

import pytest

from trueline.desktop.types import Window
from trueline.tasks.model.steps import WindowParameters
from trueline.tasks.setup.windows import fits


@pytest.mark.parametrize(
    ("title", "wanted", "found"),
    [
        ("Shop - Chromium", "Google Chrome", True),
        ("~/Desktop/a list.txt - Mousepad", "a list.txt (~/Desktop) - gedit", True),
        ("*~/Desktop/a list.txt - Mousepad", "A list.txt (~/Desktop) - gedit", True),
        ("~/other/a list.txt - Mousepad", "a list.txt (~/Desktop) - gedit", False),
        ("a list.txt (~/Desktop) - gedit", "a list.txt (~/Desktop) - gedit", True),
        ("a.docx - LibreOffice Writer", "b.docx - LibreOffice Writer", False),
    ],
)
def test_a_window_is_found_by_the_title_that_it_has_there(title: str, wanted: str, found: bool) -> None:
    window = Window(1, title, "x", 1, 0, 0, 100, 100)
    assert fits(window, WindowParameters(window_name=wanted)) is found


@pytest.mark.parametrize(
    ("title", "found"),
    [("~/Desktop/a.txt - Mousepad", True), ("*~/Desktop/a.txt - Mousepad", False), ("a.txt - gedit", False)],
)
def test_a_strict_title_is_the_whole_one(title: str, found: bool) -> None:
    window = Window(1, title, "x", 1, 0, 0, 100, 100)
    assert fits(window, WindowParameters(window_name="a.txt (~/Desktop) - gedit", strict=True)) is found
