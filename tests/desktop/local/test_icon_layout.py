"""The layout of desktop icons: what xfdesktop 4.18 saves, and where it draws them, as measured on its pictures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.desktop.local.icon_layout import (
    Cell,
    Icon,
    WorkArea,
    icon_box,
    icon_size,
    label_of,
    read_layout,
    shows_files,
    with_icons,
)
from trueline.records.tree import Node, Place, Size, Tree, shown

FULL = WorkArea(0, 31, 1920, 1049)
SAVED = """[xfdesktop-version-4.10.3+-rcfile_format]
4.10.3+=true

[/home/user/Desktop/notes.txt]
row=1
col=0

[/home/user/Desktop/Ünïcode [x].txt]
row=3
col=6

[/home/user/Desktop/half]
row=1

[/home/user]
row=0
col=0
"""


def test_a_saved_layout_gives_the_cell_of_each_icon() -> None:
    assert read_layout(SAVED) == {
        "/home/user/Desktop/notes.txt": Cell(1, 0),
        "/home/user/Desktop/Ünïcode [x].txt": Cell(3, 6),
        "/home/user": Cell(0, 0),
    }


@given(st.text())
def test_any_text_is_read_as_a_layout(text: str) -> None:
    for cell in read_layout(text).values():
        assert min(cell) >= 0


@pytest.mark.parametrize(
    ("area", "size", "cell", "drawn"),
    [
        (FULL, 48, Cell(0, 0), (51, 55, 94, 98)),
        (FULL, 48, Cell(3, 17), (1822, 397, 1865, 440)),
        (FULL, 64, Cell(4, 13), (1806, 645, 1859, 698)),
        (FULL, 32, Cell(2, 4), (346, 215, 374, 242)),
        (WorkArea(0, 31, 1280, 769), 48, Cell(4, 11), (1184, 476, 1227, 519)),
        (WorkArea(0, 31, 1024, 737), 48, Cell(1, 8), (929, 175, 972, 218)),
    ],
)
def test_the_box_of_an_icon_holds_what_is_drawn(
    area: WorkArea, size: int, cell: Cell, drawn: tuple[int, int, int, int]
) -> None:
    (left, top), (width, height) = icon_box(cell, area, size)
    assert left <= drawn[0] and drawn[2] < left + width + 1
    assert top <= drawn[1] and drawn[3] < top + height
    middle = (drawn[0] + drawn[2]) / 2, (drawn[1] + drawn[3]) / 2
    assert abs(left + width / 2 - middle[0]) <= 2 and abs(top + height / 2 - middle[1]) <= 2


def test_the_file_is_named_after_the_work_area() -> None:
    assert FULL.layout_file == "/home/user/.config/xfce4/desktop/icons.screen0-1904x1033.rc"


LAUNCHER = """[Desktop Action new]
Name=Wrong
[Desktop Entry]
Name=Editor
Name[de]=Schreiber
Name[pt_BR]=Um\\sdois
Exec=editor
"""


@pytest.mark.parametrize(
    ("path", "launcher", "language", "label"),
    [
        ("/home/user", None, "C.UTF-8", "Home"),
        ("/home/user/Desktop/a b.txt", None, "C.UTF-8", "a b.txt"),
        ("/home/user/Desktop/e.desktop", LAUNCHER, "C.UTF-8", "Editor"),
        ("/home/user/Desktop/e.desktop", LAUNCHER, "de_DE.UTF-8", "Schreiber"),
        ("/home/user/Desktop/e.desktop", LAUNCHER, "pt_BR.UTF-8", "Um dois"),
        ("/home/user/Desktop/e.desktop", "no launcher", "C.UTF-8", "e.desktop"),
        ("/home/user/Desktop/\udcff.txt", None, "C.UTF-8", "�.txt"),
    ],
)
def test_labels_are_those_on_the_screen(path: str, launcher: str | None, language: str, label: str) -> None:
    assert label_of(path, launcher, language) == label


def test_settings_that_make_no_sense_are_the_usual_ones() -> None:
    assert (
        icon_size({}) == icon_size({"/desktop-icons/icon-size": "big"}) == icon_size({"/desktop-icons/icon-size": 9999})
    )
    assert icon_size({"/desktop-icons/icon-size": 64}) == 64
    assert shows_files({}) and not shows_files({"/desktop-icons/style": 0})


def test_icons_stand_in_the_window_that_draws_them_and_in_the_table() -> None:
    icon = Icon("/home/user/Desktop/a.txt", "a.txt", Place(49, 167), Size(48, 48))
    frame = Node("frame", "Desktop", attributes={"window-type": "desktop"})
    tree = Tree(Node("desktop-frame", children=(Node("application", "xfdesktop", children=(frame,)),)))
    assert [(node.role, node.name) for node in shown(with_icons(tree, [icon]))] == [("icon", "a.txt")]
    bare = Tree(Node("desktop-frame"))
    assert with_icons(bare, [icon]) == bare
