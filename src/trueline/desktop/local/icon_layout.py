"""Where the icons of the desktop are, from what xfdesktop (4.18) saves of them: pure functions.

xfdesktop tells accessibility nothing of its icons. It keeps them in a grid, saves row and column of each in a file, and
draws them by sums that depend on the work area and the size of icons alone. The file is written one second after the
last icon came, went or moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from trueline.desktop.local.identity import HOME
from trueline.records.tree import Node, Place, Size, Tree

DESKTOP_FOLDER = f"{HOME}/Desktop"
LAYOUTS = f"{HOME}/.config/xfce4/desktop"
ICON_SIZE = 48
"""What xfdesktop takes when the settings name no size."""
_MARGIN = 8
"""Around the work area, and again around the grid."""
_PADDING = 6
_TEXT_WIDTH = 1.9
"""Width of a label in icon sizes."""
_SIZES = range(16, 193)
"""Sizes that the settings allow."""
_GROUP = re.compile(r"\[(.{1,4200})\]")
_NUMBER = re.compile(r"(row|col)=(\d{1,5})")
_LABELS = {HOME: "Home", "/": "File System", "trash:///": "Trash"}
_STATES = frozenset({"enabled", "focusable", "selectable", "sensitive", "showing", "visible"})
_ESCAPES = {r"\s": " ", r"\n": " ", r"\t": " ", r"\r": " ", "\\\\": "\\"}


class Cell(NamedTuple):
    """A place in the grid."""

    row: int
    column: int


@dataclass(frozen=True)
class WorkArea:
    """What panels leave free of the screen."""

    left: int
    top: int
    width: int
    height: int

    @property
    def layout_file(self) -> str:
        """Where xfdesktop saves the icons for a work area of this size."""
        return f"{LAYOUTS}/icons.screen0-{self.width - 2 * _MARGIN}x{self.height - 2 * _MARGIN}.rc"


@dataclass(frozen=True)
class Icon:
    """An icon on the desktop."""

    path: str
    label: str
    place: Place
    size: Size
    """The box of its picture; the label below is not part of it."""

    def node(self) -> Node:
        """Return the icon as an element of the tree."""
        return Node("icon", self.label, states=_STATES, position=self.place, size=self.size, image=True)


def read_layout(text: str) -> dict[str, Cell]:
    """The cell of each icon in a saved layout, by its path; what is not understood is left out."""
    found: dict[str, Cell] = {}
    path, numbers = "", dict[str, int]()
    for line in text.split("\n"):
        if group := _GROUP.fullmatch(line):
            path, numbers = group[1], {}
        elif path and (number := _NUMBER.fullmatch(line)):
            numbers[number[1]] = int(number[2])
            if len(numbers) == 2:
                found[path] = Cell(numbers["row"], numbers["col"])
    return found


def icon_box(cell: Cell, area: WorkArea, size: int) -> tuple[Place, Size]:
    """Where xfdesktop draws the picture of an icon."""
    side = size * _TEXT_WIDTH + 2 * _PADDING
    x = _cell_start(cell.column, area.left, area.width, side) + _PADDING + size * (_TEXT_WIDTH - 1) / 2
    y = _cell_start(cell.row, area.top, area.height, side) + _PADDING
    return Place(int(x), int(y)), Size(size, size)


def _cell_start(number: int, start: int, length: int, side: float) -> float:
    """Where a cell begins on one axis: as many cells as fit, the rest between them and at both ends."""
    start, length = start + _MARGIN, length - 2 * _MARGIN
    count = int((length - 2 * _MARGIN) / side)
    rest = int(length - count * side)
    spacing = (rest - 2 * _MARGIN) // (count - 1) if count > 1 else 1
    margin = int((rest - (count - 1) * spacing) / 2)
    return start + margin + number * (side + spacing)


def icon_size(settings: Mapping[str, object]) -> int:
    """The size of icons in xfdesktop's settings."""
    size = settings.get("/desktop-icons/icon-size")
    return size if isinstance(size, int) and size in _SIZES else ICON_SIZE


def shows_files(settings: Mapping[str, object]) -> bool:
    """Whether the settings let files have icons; otherwise windows have, or nothing."""
    return settings.get("/desktop-icons/style", 2) == 2


def label_of(path: str, launcher: str | None, language: str) -> str:
    """The name that stands below an icon: of a launcher what it says, in the language if it has it."""
    if path in _LABELS:
        return _LABELS[path]
    said = "" if launcher is None else _launcher_name(launcher, language)
    name = said or path.rstrip("/").rpartition("/")[2]
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # names need not be text


def _launcher_name(text: str, language: str) -> str:
    names: dict[str, str] = {}
    inside = False
    for line in text.split("\n"):
        if line.startswith("["):
            inside = line.strip() == "[Desktop Entry]"
        elif inside and line.startswith("Name"):
            key, _, value = line.partition("=")
            names[key.strip()] = re.sub(r"\\[sntr\\]", lambda escape: _ESCAPES[escape[0]], value.strip())
    locale = re.split(r"[.@]", language)[0]
    keys = (f"Name[{locale}]", f"Name[{locale.partition('_')[0]}]", "Name")
    return next((names[key] for key in keys if names.get(key)), "")


def with_icons(tree: Tree, icons: Iterable[Icon]) -> Tree:
    """The tree with icons as elements of the window in which xfdesktop draws them, if it is there."""
    nodes = tuple(icon.node() for icon in icons)
    applications = list(tree.root.children)
    for number, application in enumerate(applications):
        frames = list(application.children)
        for at, frame in enumerate(frames):
            if application.name == "xfdesktop" and frame.attributes.get("window-type") == "desktop" and nodes:
                frames[at] = replace(frame, children=(*frame.children, *nodes))
                applications[number] = replace(application, children=tuple(frames))
                return replace(tree, root=replace(tree.root, children=tuple(applications)))
    return tree
