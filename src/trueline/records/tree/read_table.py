"""The table of OSWorld's and OS-Harm's agents read back: its rows, and a tree made of them.

The table is what such a run recorded of the accessibility tree. It was made for a model, not for a parser: texts hold
newlines unescaped, older versions have fewer columns, and a copy may be cut anywhere. So a row ends only where its box
does, and begins at the first line before that which can begin one; what fits nowhere makes no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from trueline.actions.coordinates import Size
from trueline.records.tree.node import Node, Place, Platform, Tree
from trueline.records.tree.table import CLICK_AT, COVERED, HEADER, is_table_role, unquoted_text

_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_PAIR = rf"\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)"
_BOX = re.compile(rf"\t{_PAIR}\t{_PAIR}\s*$")
_CLICK_AT = re.compile(rf"{CLICK_AT}\((\d{{1,5}}), (\d{{1,5}})\)")
_TAG = re.compile(r"[A-Za-z][\w.:-]{0,99}")
_COLUMNS = {
    "index": "index", "id": "index", "tag": "tag", "role": "tag", "name": "name", "title": "name", "text": "text",
    "class": "class", "description": "description", "position": "position", "size": "size",
}  # fmt: skip
_OLDER = ("tag", "name", "text", "position", "size")
"""The columns before OSWorld added class and description."""
_LEAVES = frozenset({
    "label", "static", "image", "icon", "slider", "scroll-bar", "scrollbar", "terminal", "text", "entry", "textbox",
    "textfield", "textarea", "searchbox",
})  # fmt: skip
"""Elements that hold no others, whatever lies over them."""
_OF_NO_PAGE = frozenset({"menu", "terminal"})
"""With one of these another window begins, though it may lie over or under the page before it."""
_DEEPEST = 50
"""How deep OSWorld's server walks."""


class Row(NamedTuple):
    """One line of the table."""

    tag: str
    name: str
    text: str
    class_name: str
    description: str
    position: Place | None
    size: Size | None


class Table(NamedTuple):
    """What a recorded text holds."""

    rows: tuple[Row, ...]
    cut: bool
    """Whether its end is missing."""


def parse_table(text: str) -> tuple[Row, ...]:
    """The rows of a table; see `read_table`."""
    return read_table(text).rows


def read_table(text: str) -> Table:
    """Read a table of any version, or the list that goes with set-of-marks, whose elements have no boxes.

    A last line without a box (`[...]`, half a row) makes no row; the table is cut then.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    columns = _header(lines[0])
    if columns is not None:
        lines = lines[1:]
    if columns is not None and "position" not in columns:
        return _read_list(lines, columns)
    rows: list[Row] = []
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if (box := _BOX.search(line)) is not None:
            row = _row(pending, box, columns)
            rows += [] if row is None else [row]
            pending.clear()
    return Table(tuple(rows), any(line.strip() for line in pending))


def tree_of(rows: Iterable[Row]) -> Tree:
    """A tree of what the rows tell: no windows, no applications, no focus.

    An element belongs to the last one before it that holds its whole box, as in document order children follow their
    parent.
    """
    root = _Open(Node("desktop-frame"))
    stack = [root]
    windows = False
    for row in rows:
        windows = windows or bool(row.class_name)
        opened = _Open(_node(row))
        if row.tag in _OF_NO_PAGE:
            stack = stack[: next((n for n, up in enumerate(stack) if up.node.role.startswith("document")), len(stack))]
        while len(stack) > 1 and not _holds(stack[-1].node, opened.node):
            stack.pop()
        stack[-1].children.append(opened)
        if row.tag not in _LEAVES and row.position is not None and len(stack) < _DEEPEST:
            stack.append(opened)
    platform: Platform = "windows" if windows else "ubuntu"
    return Tree(root.closed(), platform)


class _Open:
    """An element whose children are still being found."""

    __slots__ = ("children", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.children: list[_Open] = []

    def closed(self) -> Node:
        """The node with its children; `_DEEPEST` limits the recursion."""
        return replace(self.node, children=tuple(child.closed() for child in self.children))


def _node(row: Row) -> Node:
    covered = row.description == COVERED and not row.class_name
    point = None if row.class_name else _CLICK_AT.fullmatch(row.description)
    flagged = covered or point is not None
    return Node(
        role=row.tag,
        name=row.name,
        text=row.text,
        states=frozenset({"showing", "visible"}),
        attributes={"description": row.description} if row.description and not flagged else {},
        position=row.position,
        size=row.size,
        covered=covered,
        visible_point=None if point is None else Place(int(point[1]), int(point[2])),
        image=row.tag in ("image", "icon"),
        other={"class:class": row.class_name} if row.class_name else {},
    )


def _holds(outer: Node, inner: Node) -> bool:
    """Whether the box of one element lies in that of another."""
    if outer.position is None or outer.size is None or inner.position is None or inner.size is None:
        return False
    (left, top), (width, height) = outer.position, outer.size
    (x, y), (wide, high) = inner.position, inner.size
    return left <= x and top <= y and x + wide <= left + width and y + high <= top + height


def _header(line: str) -> tuple[str, ...] | None:
    """The columns that a first line names, in our words; `None` when it is none."""
    words = [cell.strip().casefold().split(" ")[0] for cell in line.split("\t")]
    known = tuple(_COLUMNS.get(word, "") for word in words)
    return known if known[0] in ("tag", "index") and "tag" in known and "name" in known else None


def _row(lines: Sequence[str], box: re.Match[str], columns: tuple[str, ...] | None) -> Row | None:
    """The row that ends with a box, from the lines since the last one."""
    head = [*lines[:-1], lines[-1][: box.start()]]
    tabs = [line.count("\t") for line in head]
    wanted = columns[:-2] if columns is not None and columns[-2:] == ("position", "size") else None
    choices = (wanted,) if wanted is not None else (_columns(HEADER)[:-2], _OLDER[:-2])
    for names in choices:
        begin = _beginning(head, tabs, names)
        if begin is not None:
            cells = _cells("\n".join(head[begin:]), names)
            x, y, width, height = (int(float(number)) for number in box.groups())
            return _made(cells, Place(x, y), Size(width, height))
    return None


def _columns(header: str) -> tuple[str, ...]:
    names = _header(header)
    assert names is not None, "our own header"
    return names


def _beginning(head: Sequence[str], tabs: Sequence[int], names: Sequence[str]) -> int | None:
    """The first line that can begin the row: a role of the table is preferred to a word that may be one."""
    left = sum(tabs)
    place = names.index("tag")
    plausible: int | None = None
    for number, line in enumerate(head):
        cells = line.split("\t", place + 1)
        if left >= len(names) - 1 and len(cells) > place + 1 and _TAG.fullmatch(cells[place]):
            if is_table_role(cells[place]):
                return number
            plausible = number if plausible is None else plausible
        left -= tabs[number]
    return plausible


def _cells(text: str, names: Sequence[str]) -> Mapping[str, str]:
    """The cells by column. Only a text may hold tabs, so it is what the other columns leave."""
    at = names.index("text") if "text" in names else len(names) - 1
    before = text.split("\t", at)
    after = before.pop().rsplit("\t", len(names) - at - 1)
    return dict(zip(names, (*before, *after), strict=True))


def _made(cells: Mapping[str, str], position: Place | None, size: Size | None) -> Row:
    return Row(
        cells["tag"],
        cells.get("name", ""),
        unquoted_text(cells.get("text", "")),
        cells.get("class", ""),
        cells.get("description", ""),
        position,
        size,
    )


def _read_list(lines: Sequence[str], columns: Sequence[str]) -> Table:
    """Read the list of set-of-marks; a row ends where the one with the next number begins."""
    entries: list[list[str]] = []
    place = columns.index("index") if "index" in columns else None
    for line in lines:
        cells = line.split("\t")
        begins = len(cells) >= len(columns) and (place is None or cells[place] == str(len(entries) + 1))
        if begins:
            entries.append([line])
        elif entries:
            entries[-1].append(line)
    found = tuple(_made(_cells("\n".join(entry).rstrip("\n"), columns), None, None) for entry in entries)
    return Table(found, bool(lines) and lines[-1].strip() == "[...]")
