"""Set-of-marks: the numbered elements that an agent may name instead of coordinates."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from trueline.actions.coordinates import Size
from trueline.records.tree.node import Node, Place, Tree
from trueline.records.tree.table import is_listed, quoted_text, row_of, shown

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_DRAWN_CELLS = 100
"""Cells of one table that are framed and numbered in the picture. Frames and numbers of more would hide what stands in
them; a sheet's own headers say where a cell is, and the list says which number a cell has."""
_TABLES = frozenset({"table", "tree-table", "document-spreadsheet"})
_CHOSEN = frozenset({"focused", "selected"})
HEADER = "index\ttag\tname\ttext"


class Mark(NamedTuple):
    """One numbered element."""

    number: int
    """Counted from 1."""
    tag: str
    name: str
    text: str
    """The text as the list of marks shows it."""
    position: Place
    size: Size
    visible_point: Place | None = None
    """Where a click reaches it although another window lies over its middle."""
    drawn: bool = True
    """Whether it is framed and numbered in the picture; cells of a large sheet are only listed."""

    @property
    def point(self) -> Place:
        """Where `tag_<number>` points to."""
        return self.visible_point or Place(
            self.position.x + self.size.width // 2, self.position.y + self.size.height // 2
        )


def marks(tree: Tree, screenshot: bytes | None = None) -> tuple[Mark, ...]:
    """Number the shown elements that no other window covers.

    With a screenshot, elements with a box of one colour are left out, as in OSWorld. The cells of a large sheet come
    last, those that hold something first, and are not drawn; see `MOST_DRAWN_CELLS`.
    """
    image = None if screenshot is None else _opened(screenshot)
    cells = _sheet_cells(tree)
    listed = [node for node in shown(tree, images=True) if not node.covered]
    listed.sort(key=lambda node: (id(node) in cells, id(node) in cells and _is_empty(node)))
    found: list[Mark] = []
    for node in listed:
        position, size, in_sheet = node.position, node.size, id(node) in cells
        assert position is not None and size is not None, "shown nodes have a box"
        if image is not None and not in_sheet and _one_colour(image, position, size):
            continue
        drawn = not in_sheet or not _CHOSEN.isdisjoint(node.states)
        number, text = len(found) + 1, quoted_text(node)
        found.append(Mark(number, node.role, node.name, text, position, size, node.visible_point, drawn))
    return tuple(found)


def _sheet_cells(tree: Tree) -> set[int]:
    """The cells, by identity, of every table that shows more than `MOST_DRAWN_CELLS`."""
    found: set[int] = set()
    for table in tree.root.walk():
        if table.role not in _TABLES:
            continue
        rows = (row.children if row.role == "table-row" else (row,) for row in table.children)
        cells = [cell for row in rows for cell in row if cell.role == "table-cell" and is_listed(cell, tree.platform)]
        if len(cells) > MOST_DRAWN_CELLS:
            found.update(map(id, cells))
    return found


def _is_empty(cell: Node) -> bool:
    return not cell.text and _CHOSEN.isdisjoint(cell.states)


def marks_text(found: Iterable[Mark]) -> str:
    """The list that goes with the marked picture: a header, then one line per mark."""
    return "\n".join((HEADER, *(row_of(str(mark.number), mark.tag, mark.name, mark.text) for mark in found)))


def _opened(screenshot: bytes) -> Image:
    from PIL import Image

    with Image.open(io.BytesIO(screenshot)) as image:
        return image.convert("RGB")


def _one_colour(image: Image, position: Place, size: Size) -> bool:
    box = (position.x, position.y, position.x + size.width, position.y + size.height)
    return all(low == high for low, high in (band.getextrema() for band in image.crop(box).split()))
